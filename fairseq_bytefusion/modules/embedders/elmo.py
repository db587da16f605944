"""elmo: the layers of a language model, mixed."""

import torch
import torch.nn as nn

from ..scalar_mix import ScalarMix
from .embedder import Embedder


class Elmo(Embedder, nn.Module):
    """``W v_k + b`` of a word k, where ``v_k = gamma sum_j softmax(s)_j h_kj``, j = 0..L.

    ``h_k0 = (x_k, x_k)`` is the composed word twice, ``h_kj`` the states of layer j,
    (forward, backward); of a language model that reads forward alone, each once. Words are
    those of the language model without ``<s>``. Vectors are not scaled by sqrt(D).

    Args:
        language_model (LanguageModelEncoder)
        embedding_dim (int): D.
        dropout (float): on v_k.
        layer_norm (bool): see :class:`~..scalar_mix.ScalarMix`.
        finetune (bool): let the language model learn.

    Source: Peters et al. 2018, *Deep contextualized word representations*, section 3.2.
    """

    composes_words = True
    needs_language_model = True

    def __init__(
        self, language_model, embedding_dim, dropout=0.0, layer_norm=False, finetune=False
    ):
        super().__init__()
        self.embedding_dim = embedding_dim
        self.padding_idx = language_model.embed_tokens.padding_idx
        self.language_model = language_model
        self.mix = ScalarMix(1 + language_model.num_layers, layer_norm)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(language_model.state_dim, embedding_dim)
        nn.init.xavier_uniform_(self.projection.weight)
        nn.init.zeros_(self.projection.bias)
        if not finetune:
            language_model.freeze()

    @classmethod
    def build(cls, options, dictionary, dim, language_model):
        """From ``elmo_dropout``, ``elmo_layer_norm``, ``elmo_finetune``; over
        ``language_model``."""
        return cls(
            language_model,
            dim,
            options.elmo_dropout,
            options.elmo_layer_norm,
            options.elmo_finetune,
        )

    @property
    def composer(self):
        """WordComposer: that of the language model."""
        return self.language_model.embed_tokens

    def layers_of(self, tokens):
        """The layers to mix.

        Args:
            tokens (Long[B, T]): padded on either side.

        Returns:
            tuple: list of h_.j, Float[B, S, H], j = 0..L, and padding_mask Bool[B, S].
        """
        found = self.language_model.read(tokens)
        directions = list(found.layers.values())
        stacked = [[found.composed] * len(directions), *zip(*directions)]
        # Without <s>; in a batch of nothing but padding there is none.
        start = min(1, found.padding_mask.shape[1] - 1)
        layers = [torch.cat(list(parts), -1)[:, start:] for parts in stacked]
        return layers, found.padding_mask[:, start:]

    def forward(self, tokens):
        """
        Args:
            tokens (Long[B, T]): padded on either side.

        Returns:
            tuple: states Float[B, S, D] and padding_mask Bool[B, S], as of a word composer.
        """
        layers, padding_mask = self.layers_of(tokens)
        states = self.projection(self.dropout(self.mix(layers)))
        return states.masked_fill(padding_mask.unsqueeze(-1), 0.0), padding_mask
