"""Text to ids and back. No ``nn.Module`` lives here."""

from .byte_dictionary import ByteDictionary
from .char_dictionary import CharDictionary
from .sentencepiece_dictionary import SentencePieceDictionary
from .units import UNITS, load_dictionary

__all__ = [
    "UNITS",
    "ByteDictionary",
    "CharDictionary",
    "SentencePieceDictionary",
    "load_dictionary",
]
