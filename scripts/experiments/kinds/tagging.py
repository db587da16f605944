"""A label for every word."""

from dataclasses import dataclass
from typing import ClassVar

from .labelling import Labelling


@dataclass
class Tagging(Labelling):
    """Files have a word and its label a line."""

    title: ClassVar = "A label for every word"
    task: ClassVar = "byte_tagging"
    extension: ClassVar = "conll"
