"""Word composers learn the characters of words, before any task."""

from dataclasses import dataclass
from typing import ClassVar

from .plain_text import PlainText


@dataclass
class MaskedCharacters(PlainText):
    """``systems``: a word composer each."""

    title: ClassVar = "Masked characters"
    task: ClassVar = ("--task", "masked_characters")
    scores: ClassVar = ("loss", "accuracy")
