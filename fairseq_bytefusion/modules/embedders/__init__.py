"""Embedders: token ids to states.

An embedder has ``embedding_dim``, ``padding_idx`` and
``forward(tokens: Long[B, T]) -> (states: Float[B, S, D], padding_mask: Bool[B, S])``
with zero states where the mask is True. ``dropout_on_states`` says whether
dropout on its (position-coded) states makes sense. To add one: a file here, a
line in ``EMBEDDERS``, a test.
"""

from .dense import DenseEmbedder
from .one_hot import OneHotEmbedder

EMBEDDERS = {
    "dense": DenseEmbedder,
    "one-hot": OneHotEmbedder,
}

__all__ = ["EMBEDDERS", "DenseEmbedder", "OneHotEmbedder"]
