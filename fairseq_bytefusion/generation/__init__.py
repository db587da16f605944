"""Translation from Python."""

from .translator import ByteTranslator, Translation

__all__ = ["ByteTranslator", "Translation"]
