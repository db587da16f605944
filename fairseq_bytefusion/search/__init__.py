"""Beam search that can only emit valid UTF-8."""

from .utf8_generator import utf8_generator_class

__all__ = ["utf8_generator_class"]
