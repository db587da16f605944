"""char2subword: Transformer layers over the characters of a word."""

from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
from fairseq.modules import FairseqDropout, LayerNorm, SinusoidalPositionalEmbedding

from ...attention import MultiheadAttention
from ...transformer_layer import EncoderLayer
from ...word_local import WordLocal, group_rows
from .word_composer import WordComposer

#: sizes of the paper's module: 43M parameters at D = 768. Characters take 0.2M of them, the
#: bytes; a table of the characters of a multilingual vocabulary makes it some 50M.
PAPER = {"char_dim": 768, "layers": 6, "heads": 12}


class Char2SubwordLayer(EncoderLayer):
    """A layer whose residuals add the normalised input.

    ``x1 = MHA(LN(x)) + LN(x)``, ``x2 = FFN(LN(x1)) + LN(x1)``, unlike an ordinary
    pre-norm layer, which adds ``x`` and ``x1``. GELU; the FFN is 4 E wide.

    Args:
        attention (callable): see :class:`TransformerLayer`.
        dim (int): E.
        dropout (float): probability.

    Source: Aguilar et al. 2021, *Char2Subword*, appendix A.
    """

    def __init__(self, attention, dim, *, dropout=0.0):
        super().__init__(attention, dim, 4 * dim, dropout=dropout)
        self.activation_fn = F.gelu  # fairseq's rounds to float32

    def make_parts(self, attention, dim, ffn_dim):
        """As in other layers, but the attention comes first."""
        self.self_attn = attention()
        self.self_attn_layer_norm = LayerNorm(dim)
        self.fc1 = nn.Linear(dim, ffn_dim)
        self.fc2 = nn.Linear(ffn_dim, dim)
        self.final_layer_norm = LayerNorm(dim)

    def residual_block(self, x, norm, function, dropout):
        """``LN(x) + dropout(function(LN(x)))``."""
        x = norm(x)
        return dropout(function(x)) + x


class Char2Subword(WordComposer):
    """Characters between begin and end of word -> layers -> D -> max -> LayerNorm.

    Begin and end of word are seen by the layers; the maximum is over the word's own
    characters. Words are packed by length: no layer computes padding::

        begin  c  a  t  end          positions 0 1 2 3 4
               x  x  x               maximum over these

    Args:
        dictionary, embedding_dim, max_chars: see :class:`WordComposer`.
        char_dim (int): E, even, a multiple of ``heads``.
        layers (int)
        heads (int): attention heads.
        dropout, attention_dropout (float): probabilities.

    Source: Aguilar et al. 2021, *Char2Subword*, section 3.1 and appendix A.
    """

    character_parts = ("characters", "dropout_module", "layers")

    def __init__(
        self,
        dictionary,
        embedding_dim,
        *,
        char_dim=256,
        layers=2,
        heads=4,
        max_chars=50,
        dropout=0.0,
        attention_dropout=0.0,
    ):
        super().__init__(dictionary, embedding_dim, char_dim, max_chars=max_chars)
        positions = SinusoidalPositionalEmbedding.get_embedding(max_chars + 2, char_dim)
        self.register_buffer("positions", positions, persistent=False)
        self.dropout_module = FairseqDropout(dropout, module_name=type(self).__name__)
        attention = partial(MultiheadAttention, char_dim, heads, dropout=attention_dropout)
        self.layers = nn.ModuleList(
            Char2SubwordLayer(attention, char_dim, dropout=dropout) for _ in range(layers)
        )
        self.projection = nn.Linear(char_dim, embedding_dim)
        self.layer_norm = LayerNorm(embedding_dim)

    @classmethod
    def default_char_dim(cls, options):
        """A third of the paper's."""
        return 256

    @classmethod
    def build(cls, options, dictionary, dim):
        """From ``char_embed_dim``, ``char2subword_*``, ``max_word_chars``, dropouts."""
        return cls(
            dictionary,
            dim,
            char_dim=options.char_embed_dim,
            layers=options.char2subword_layers,
            heads=options.char2subword_heads,
            max_chars=options.max_word_chars,
            dropout=options.dropout,
            attention_dropout=options.attention_dropout,
        )

    def compose(self, symbols, lengths, begins=None):
        """
        Args:
            symbols (Long[U, C])
            lengths (Long[U])
            begins (Bool[U], optional): False for what goes on a word, see ``delimit``.

        Returns:
            Float[U, D]
        """
        symbols, lengths = self.delimit(symbols, lengths, begins)
        x, groups = self._packed_states(symbols, lengths)
        is_delimiter = symbols.flatten()[groups.order].ge(self.begin).unsqueeze(1)
        x = self.projection(x).masked_fill(is_delimiter, float("-inf"))
        # Back from the order of lengths to that of the words.
        place = lengths.sort(stable=True).indices.argsort()
        return self.layer_norm(_maximum(x, groups.sizes).index_select(0, place))

    def character_states(self, symbols, lengths):
        """As of the base class: of the last layer, which has seen begin and end of word."""
        delimited, lengths = self.delimit(symbols, lengths)
        x, groups = self._packed_states(delimited, lengths)
        states = x.new_zeros(delimited.numel(), x.shape[1]).index_copy(0, groups.order, x)
        states = states.unflatten(0, delimited.shape)[:, 1:-1]
        is_own = symbols.ne(self.padding_idx)
        return states.masked_fill(~is_own.unsqueeze(2), 0.0)

    def _packed_states(self, symbols, lengths):
        """States Float[N, E] of delimited words, packed by length, and their WordGroups."""
        columns = torch.arange(symbols.shape[1], device=symbols.device)
        groups = group_rows(columns >= lengths.unsqueeze(1))
        x = self.characters(symbols.flatten()[groups.order])
        x = self.dropout_module(x + self.positions[groups.order % len(columns)])
        geometry = WordLocal(groups.sizes)
        for layer in self.layers:
            x = layer(x, geometry)
        return x, groups


def _maximum(x, sizes):
    """Maximum over each word's characters.

    Args:
        x (Float[N, D]): packed words.
        sizes (list of (int, int)): ``(length, number of words)``.

    Returns:
        Float[U, D]: in the order of ``x``.
    """
    groups = x.split([length * count for length, count in sizes])
    return torch.cat(
        [
            group.unflatten(0, (count, length)).max(1).values
            for group, (length, count) in zip(groups, sizes)
        ]
    )
