"""Fusions: states of neighbouring tokens to states of the same shape.

A fusion has a ``place``:

- ``between`` the first ``--fusion-layers`` encoder layers and the others, or ``around`` the
  first ones, which it owns: ``forward(states: Float[B, T, D], tokens: Long[B, T],
  padding_mask: Bool[B, T]) -> Float[B, T, D]`` and a classmethod
  ``build(options, dictionary, make_layer)``, where ``make_layer()`` is a new encoder layer;
- ``within`` each of the first layers, before its self-attention: ``forward(x, geometry)``,
  see :mod:`.multi_scale`, and a classmethod ``build(options, dim, causal)``.

It also has ``default_layers(num_layers)``, the default of ``--fusion-layers``, and
``needs_symbols``: whether it makes nothing of the states of words. To add one: a file here,
a line in ``FUSIONS``, a group of options in ``models/options/``, a test.
"""

from .multi_scale import MultiScaleContext
from .ngram_conv import NgramConvolution
from .word_attention import WordAttention

FUSIONS = {
    "ncf": NgramConvolution,
    "wsf": WordAttention,
    "msc": MultiScaleContext,
}

__all__ = ["FUSIONS", "MultiScaleContext", "NgramConvolution", "WordAttention"]
