"""A label for every sentence."""

from dataclasses import dataclass
from typing import ClassVar

from ..grid.building import check_at_least_one
from .labelling import Labelling


@dataclass
class Classification(Labelling):
    """Files have a text and its label a line."""

    text_column: int = 1

    title: ClassVar = "A label for every sentence"
    task: ClassVar = "byte_classification"
    extension: ClassVar = "tsv"

    def check(self, grid):
        super().check(grid)
        check_at_least_one(self, self.where, "text_column")

    def columns(self):
        return ["--text-column", self.text_column, *super().columns()]
