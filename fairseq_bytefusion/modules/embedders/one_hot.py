"""Embedding-less input and output: the identity matrix."""

import math

import torch
import torch.nn as nn

from .embedder import Embedder

OUTPUTS = ("frozen", "learned")
#: name -> what the scale of a frozen output starts at, by D
OUTPUT_SCALES = {"one": lambda dim: 1.0, "sqrt-dim": math.sqrt}


class OneHotEmbedder(Embedder, nn.Module):
    """Row ``b`` of the identity, zero-padded to D, times one learned scalar.

    Args:
        num_embeddings (int): size V of the dictionary.
        embedding_dim (int): D >= V.
        padding_idx (int): its state is zero.
        scale (float): initial value of the learned scalar; sqrt(D) by default.
        output (str): of a decoder; ``frozen``, the same matrix, or ``learned``, an
            ordinary table.
        output_scale (float): initial value of the learned scalar of a frozen output.

    Raises:
        ValueError: D < V.

    Source: Shaham & Levy 2021, *Neural Machine Translation without Embeddings*,
    section 3. A one-hot state has no redundancy to drop, hence no dropout on it, nor on
    states of the decoder that are logits; ``learned``: the published code of Sreedhar et
    al. 2023.
    """

    dropout_on_states = False

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        padding_idx,
        scale=None,
        *,
        output="frozen",
        output_scale=1.0,
    ):
        super().__init__()
        check_one_hot_dim(num_embeddings, embedding_dim)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.output = output
        self.output_scale = output_scale
        self.scale = nn.Parameter(torch.tensor(scale or embedding_dim**0.5))
        rows = torch.eye(num_embeddings, embedding_dim)
        rows[padding_idx] = 0
        self.register_buffer("rows", rows, persistent=False)

    @classmethod
    def build(cls, options, dictionary, dim, **output):
        """From ``no_scale_embedding``."""
        scale = 1.0 if options.no_scale_embedding else math.sqrt(dim)
        return cls(len(dictionary), dim, dictionary.pad(), scale, **output)

    @classmethod
    def build_for_decoder(cls, options, dictionary, dim):
        """From ``no_scale_embedding``, ``one_hot_output``, ``one_hot_output_scale``."""
        output_scale = OUTPUT_SCALES[options.one_hot_output_scale](dim)
        output = {"output": options.one_hot_output, "output_scale": output_scale}
        return cls.build(options, dictionary, dim, **output)

    @property
    def dropout_on_output(self):
        """bool: False where nothing may blank a dimension, which is a logit."""
        return self.output == "learned"

    def forward(self, tokens):
        """
        Args:
            tokens (Long[B, T])

        Returns:
            tuple: states Float[B, T, D], padding_mask Bool[B, T].
        """
        states = self.scale * nn.functional.embedding(tokens, self.rows)
        return states, tokens.eq(self.padding_idx)

    def build_output_projection(self):
        """The same one-hot rows, with a scalar of their own; None for a learned table,
        which is an ordinary output."""
        if self.output == "learned":
            return None
        return OneHotProjection(self.num_embeddings, self.embedding_dim, self.output_scale)

    def extra_repr(self):
        return f"{self.num_embeddings}, {self.embedding_dim}"


class OneHotProjection(nn.Module):
    """Logits of a decoder with one-hot output: the state itself, times a scalar.

    The product with the zero-padded identity is a slice.

    Args:
        num_embeddings (int): size V of the dictionary.
        embedding_dim (int): D >= V.
        scale (float): initial value of the learned scalar.

    Raises:
        ValueError: D < V.

    Source: Shaham & Levy 2021, section 3.
    """

    def __init__(self, num_embeddings, embedding_dim, scale=1.0):
        super().__init__()
        check_one_hot_dim(num_embeddings, embedding_dim)
        self.num_embeddings = num_embeddings
        self.scale = nn.Parameter(torch.tensor(scale))

    def forward(self, features):
        """
        Args:
            features (Float[..., D])

        Returns:
            Float[..., V]
        """
        return self.scale * features[..., : self.num_embeddings]


def check_one_hot_dim(num_embeddings, embedding_dim):
    """Raise ValueError where a one-hot state does not fit."""
    if embedding_dim < num_embeddings:
        raise ValueError(
            f"a one-hot embedder needs at least {num_embeddings} dimensions, one a "
            f"symbol, and has {embedding_dim}"
        )
