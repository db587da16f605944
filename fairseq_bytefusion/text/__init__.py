"""Text to ids and back. No ``nn.Module`` lives here."""

from .byte_dictionary import ByteDictionary

__all__ = ["ByteDictionary"]
