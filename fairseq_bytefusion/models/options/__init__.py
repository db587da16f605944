"""The options of models: a group a family, each with its checks; see :mod:`.groups`."""

from .decoder import DecoderOptions
from .encoder import EncoderOptions
from .groups import check, complete, resolve_as_before, unlike

__all__ = [
    "DecoderOptions",
    "EncoderOptions",
    "check",
    "complete",
    "resolve_as_before",
    "unlike",
]
