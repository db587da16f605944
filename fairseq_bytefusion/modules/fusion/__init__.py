"""Fusions: states of neighbouring tokens to states of the same shape.

A fusion has ``forward(states: Float[B, T, D], tokens: Long[B, T],
padding_mask: Bool[B, T]) -> Float[B, T, D]``, a classmethod
``build(options, dictionary, make_layer)``, where ``make_layer()`` is a new encoder layer,
and ``owns_layers``: whether the first ``--fusion-layers`` encoder layers are inside it, or
before it. To add one: a file here, a line in ``FUSIONS``, a group of options in
``models/options/``, a test.
"""

from .ngram_conv import NgramConvolution
from .word_attention import WordAttention

FUSIONS = {
    "ncf": NgramConvolution,
    "wsf": WordAttention,
}

__all__ = ["FUSIONS", "NgramConvolution", "WordAttention"]
