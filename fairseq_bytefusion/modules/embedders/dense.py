"""The ordinary embedding table."""

import math

import torch.nn as nn

from .embedder import Embedder


class DenseEmbedder(Embedder, nn.Embedding):
    """A learned row per symbol, times a constant.

    The parameter is called ``weight``, as in fairseq's ``transformer``.

    Args:
        num_embeddings (int): size of the dictionary.
        embedding_dim (int): D.
        padding_idx (int): its row is zero.
        scale (float): factor on every row; sqrt(D) in Vaswani et al. 2017, 3.4.

    Source: Vaswani et al. 2017; initialised as in fairseq, N(0, 1/D).
    """

    has_table = True

    def __init__(self, num_embeddings, embedding_dim, padding_idx, scale=1.0):
        super().__init__(num_embeddings, embedding_dim, padding_idx)
        self.scale = scale
        nn.init.normal_(self.weight, mean=0, std=embedding_dim**-0.5)
        nn.init.zeros_(self.weight[padding_idx])

    @classmethod
    def build(cls, options, dictionary, dim):
        """From ``no_scale_embedding``."""
        scale = 1.0 if options.no_scale_embedding else math.sqrt(dim)
        return cls(len(dictionary), dim, dictionary.pad(), scale)

    def forward(self, tokens):
        """
        Args:
            tokens (Long[B, T])

        Returns:
            tuple: states Float[B, T, D], padding_mask Bool[B, T].
        """
        padding_mask = tokens.eq(self.padding_idx)
        return self.scale * super().forward(tokens), padding_mask

    def extra_repr(self):
        return f"{super().extra_repr()}, scale={self.scale:g}"
