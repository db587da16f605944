"""WSF: Transformer layers that attend within a word only."""

import torch.nn as nn

from ...text.words import BOUNDARIES, MAX_CHARACTER, block_starts, symbol_tables
from ..word_local import WordLocal, group_words


class WordAttention(nn.Module):
    """Word-local layers over the real tokens of a batch.

    Tokens are reordered once, so that equally long words lie together and each length
    is one dense attention: nothing of size T x T, no mask and no padding.

    Args:
        layers (iterable of EncoderLayer): L_w of them, possibly none.
        dictionary (fairseq.data.Dictionary): says which symbols are whitespace.
        boundary (str): ``space`` or ``script``, see :mod:`text.words`.
        max_word (int): longest block in tokens.

    Raises:
        ValueError: an unknown boundary, or ``max_word`` below 4.

    Source: Sreedhar et al. 2023, *Local Byte Fusion*, equation 8.
    """

    place = "around"
    needs_symbols = True

    def __init__(self, layers, dictionary, boundary="space", max_word=64):
        super().__init__()
        if boundary not in BOUNDARIES:
            raise ValueError(f"unknown boundary {boundary!r}, choose from {BOUNDARIES}")
        if max_word < MAX_CHARACTER:
            raise ValueError(
                f"a word must have room for a character of {MAX_CHARACTER} bytes; "
                f"its longest length is {max_word}"
            )
        self.layers = nn.ModuleList(layers)
        self.boundary = boundary
        self.max_word = max_word
        self.register_buffer("tables", symbol_tables(dictionary), persistent=False)

    @classmethod
    def build(cls, options, dictionary, make_layer):
        """From ``fusion_layers``, ``wsf_boundary``, ``wsf_max_word``."""
        layers = [make_layer() for _ in range(options.fusion_layers)]
        return cls(layers, dictionary, options.wsf_boundary, options.wsf_max_word)

    @staticmethod
    def default_layers(num_layers):
        """int: how many layers are inside it, unless told otherwise: a third."""
        return max(1, round(num_layers / 3))

    def forward(self, states, tokens, padding_mask):
        """
        Args:
            states (Float[B, T, D])
            tokens (Long[B, T])
            padding_mask (Bool[B, T]): True at padding, on either side.

        Returns:
            Float[B, T, D]: zeros at padding.
        """
        if not len(self.layers):
            return states
        starts = block_starts(
            tokens, padding_mask, self.tables, self.boundary, self.max_word
        )
        groups = group_words(starts, padding_mask)
        if not groups.sizes:
            return states  # a batch of padding
        flat = states.flatten(0, 1)
        x = flat.index_select(0, groups.order)
        geometry = WordLocal(groups.sizes)
        for layer in self.layers:
            x = layer(x, geometry)
        return x.new_zeros(flat.shape).index_copy(0, groups.order, x).view_as(states)
