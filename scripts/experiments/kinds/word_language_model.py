"""Language models over words, before any task.

Source: Peters et al. 2018, *Deep Contextualized Word Representations*; Kim et al. 2015.
"""

from dataclasses import dataclass
from typing import ClassVar

from ..grid.building import check_at_least_one
from .plain_text import LANG, PlainText


@dataclass
class WordLanguageModel(PlainText):
    """``systems``: a language model each. ``word_min_count``: how often a word occurs that
    is foreseen as itself."""

    word_min_count: int = 2

    title: ClassVar = "Language models"
    task: ClassVar = ("--task", "word_language_model")
    scores: ClassVar = ("loss", "ppl_forward", "ppl_backward", "unk")

    def check(self, grid):
        super().check(grid)
        check_at_least_one(self, self.where, "word_min_count")

    def data_steps(self, grid):
        return [
            *super().data_steps(grid),
            [
                *("python", "data_prep/build_word_dict.py", self.data_dir(grid)),
                *("-s", LANG, "--min-count", self.word_min_count),
            ],
        ]
