"""hit: layers of fused or other attention over the characters of a word, then pooling."""

from functools import partial

import torch
import torch.nn as nn
from fairseq.modules import FairseqDropout, SinusoidalPositionalEmbedding

from ...attention import ATTENTIONS
from ...attention_pooling import AttentionPooling
from ...transformer_layer import EncoderLayer
from ...word_local import WordLocal, group_rows
from .word_composer import WordComposer


def mean_of(states, padding_mask):
    """Float[U, D]: mean of ``states`` (Float[U, C, D]) that are no padding (Bool[U, C])."""
    lengths = (~padding_mask).sum(1, keepdim=True)
    return states.masked_fill(padding_mask.unsqueeze(2), 0.0).sum(1) / lengths


def maximum_of(states, padding_mask):
    """Float[U, D]: maximum of ``states`` (Float[U, C, D]) that are no padding
    (Bool[U, C])."""
    return states.masked_fill(padding_mask.unsqueeze(2), float("-inf")).max(1).values


#: E -> what makes Float[U, E] of states Float[U, C, E] and padding_mask Bool[U, C]
POOLINGS = {
    "attention": AttentionPooling,
    "mean": lambda dim: mean_of,
    "max": lambda dim: maximum_of,
}


class Hit(WordComposer):
    """Characters and their positions -> layers -> pooling over the word -> D.

    The layers are post-norm; words are packed by length: none computes padding. In the
    paper their attention is fused.

    Args:
        dictionary, embedding_dim, max_chars: see :class:`WordComposer`.
        attention (callable): see :class:`TransformerLayer`; E wide.
        char_dim (int): E, even, at least 4.
        ffn_dim (int): inner width of the feed-forward network.
        layers (int)
        pooling (str): a key of ``POOLINGS``.
        dropout, activation_dropout (float): probabilities.
        activation_fn (str): of the feed-forward network.

    Raises:
        ValueError: an unknown pooling.

    Source: Sengupta et al. 2021, *HIT: A Hierarchically Fused Deep Attention Network*,
    section 3; pooling by attention: Yang et al. 2016.
    """

    character_parts = ("characters", "dropout_module", "layers")

    def __init__(
        self,
        dictionary,
        embedding_dim,
        attention,
        *,
        char_dim=128,
        ffn_dim=128,
        layers=1,
        pooling="attention",
        max_chars=50,
        dropout=0.0,
        activation_dropout=0.0,
        activation_fn="relu",
    ):
        if pooling not in POOLINGS:
            raise ValueError(f"unknown pooling {pooling!r}, choose from {tuple(POOLINGS)}")
        super().__init__(
            dictionary, embedding_dim, char_dim, max_chars=max_chars, delimited=False
        )
        positions = SinusoidalPositionalEmbedding.get_embedding(max_chars, char_dim)
        self.register_buffer("positions", positions, persistent=False)
        self.dropout_module = FairseqDropout(dropout, module_name=type(self).__name__)
        self.layers = nn.ModuleList(
            EncoderLayer(
                attention,
                char_dim,
                ffn_dim,
                dropout=dropout,
                activation_dropout=activation_dropout,
                activation_fn=activation_fn,
            )
            for _ in range(layers)
        )
        self.pool = POOLINGS[pooling](char_dim)
        self.projection = nn.Linear(char_dim, embedding_dim)

    @classmethod
    def default_char_dim(cls, options):
        """That of Sengupta et al. 2021."""
        return 128

    @classmethod
    def build(cls, options, dictionary, dim):
        """From ``char_embed_dim``, ``max_word_chars``, ``hit_*``, ``fused_*``, dropouts,
        ``activation_fn``."""
        return cls(
            dictionary,
            dim,
            partial(
                ATTENTIONS[options.hit_attention](options),
                options.char_embed_dim,
                options.hit_heads,
                dropout=options.attention_dropout,
            ),
            char_dim=options.char_embed_dim,
            ffn_dim=options.hit_ffn_embed_dim,
            layers=options.hit_layers,
            pooling=options.hit_pooling,
            max_chars=options.max_word_chars,
            dropout=options.dropout,
            activation_dropout=options.activation_dropout,
            activation_fn=options.activation_fn,
        )

    def compose(self, symbols, lengths):
        """
        Args:
            symbols (Long[U, C])
            lengths (Long[U])

        Returns:
            Float[U, D]
        """
        states = self.character_states(symbols, lengths)
        return self.projection(self.pool(states, _padding_of(symbols, lengths)))

    def character_states(self, symbols, lengths):
        """As of the base class: of the last layer."""
        groups = group_rows(_padding_of(symbols, lengths))
        x = self.characters(symbols.flatten()[groups.order])
        x = self.dropout_module(x + self.positions[groups.order % symbols.shape[1]])
        geometry = WordLocal(groups.sizes)
        for layer in self.layers:
            x = layer(x, geometry)
        states = x.new_zeros(symbols.numel(), x.shape[1]).index_copy(0, groups.order, x)
        return states.unflatten(0, symbols.shape)


def _padding_of(symbols, lengths):
    """Bool[U, C]: where there is no symbol."""
    columns = torch.arange(symbols.shape[1], device=symbols.device)
    return columns >= lengths.unsqueeze(1)
