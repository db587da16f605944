"""WSF: Transformer layers that attend within a word only."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from ...text.words import (
    BOUNDARIES,
    MAX_CHARACTER,
    block_starts,
    group_words,
    symbol_tables,
)
from ..attention.multihead import MultiheadAttention
from ..transformer_layer import EncoderLayer


class WordLocalAttention(MultiheadAttention):
    """Self-attention within blocks of a packed batch."""

    def forward(self, x, sizes):
        """
        Args:
            x (Float[N, D]): tokens, block by block, equally long blocks together.
            sizes (list of (int, int)): ``(length, number of blocks)`` in that order.

        Returns:
            Float[N, D]
        """
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        lengths = [length * count for length, count in sizes]
        dropout = self.dropout if self.training else 0.0
        groups = []
        for (length, count), *qkv in zip(sizes, *(t.split(lengths) for t in (q, k, v))):
            shape = (count, length, self.num_heads, self.head_dim)
            heads = [t.view(shape).transpose(1, 2) for t in qkv]
            group = F.scaled_dot_product_attention(*heads, dropout_p=dropout)
            groups.append(group.transpose(1, 2).reshape(-1, x.shape[-1]))
        return self.out_proj(torch.cat(groups))


class WordLocalLayer(EncoderLayer):
    """An encoder layer in which a token sees its own block only.

    Takes the arguments of :class:`EncoderLayer`; its parameters have the same names.
    ``forward(x: Float[N, D], sizes)`` works on packed tokens.
    """

    attention_class = WordLocalAttention

    def attend(self, x, sizes):
        return self.self_attn(x, sizes)


class WordAttention(nn.Module):
    """Word-local layers over the real tokens of a batch.

    Tokens are reordered once, so that equally long words lie together and each length
    is one dense attention: nothing of size T x T, no mask and no padding.

    Args:
        layers (iterable of WordLocalLayer): L_w of them, possibly none.
        dictionary (fairseq.data.Dictionary): says which symbols are whitespace.
        boundary (str): ``space`` or ``script``, see :mod:`text.words`.
        max_word (int): longest block in tokens.

    Raises:
        ValueError: an unknown boundary, or ``max_word`` below 4.

    Source: Sreedhar et al. 2023, *Local Byte Fusion*, equation 8.
    """

    owns_layers = True

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
    def build(cls, options, dictionary, wrap_layer):
        """From ``fusion_layers``, ``wsf_boundary``, ``wsf_max_word``, a layer's options."""
        layers = [
            wrap_layer(WordLocalLayer.build(options)) for _ in range(options.fusion_layers)
        ]
        return cls(layers, dictionary, options.wsf_boundary, options.wsf_max_word)

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
        for layer in self.layers:
            x = layer(x, groups.sizes)
        return x.new_zeros(flat.shape).index_copy(0, groups.order, x).view_as(states)
