"""char2subword learns within a pre-trained model, before any task.

Source: Aguilar et al. 2021, *Char2Subword*, section 3.3.
"""

from dataclasses import dataclass
from typing import ClassVar

from .plain_text import PlainText


@dataclass
class MaskedPieces(PlainText):
    """``systems``: what a module starts from, and the model, with ``--pretrained``."""

    title: ClassVar = "Masked pieces"
    task: ClassVar = ("--task", "masked_pieces")
    scores: ClassVar = ("loss", "accuracy")
