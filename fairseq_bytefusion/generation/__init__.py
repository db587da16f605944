"""Beam search that can only emit valid UTF-8, and translation from Python."""

from .translator import ByteTranslator, Translation
from .utf8_generator import utf8_generator_class

__all__ = ["ByteTranslator", "Translation", "utf8_generator_class"]
