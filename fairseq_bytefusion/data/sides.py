"""A side of the data: what its sentences are made of, and how long they may be."""

from dataclasses import dataclass
from typing import Optional, Sequence

from fairseq.data import PrependTokenDataset

from ..text.text_dictionary import TextDictionary
from .lines.line_dataset import LineDataset


@dataclass(frozen=True)
class Side:
    """Sources, targets, or the only sentences there are.

    Args:
        langs (sequence of str): codes of the languages, which share a dictionary.
        dictionary (TextDictionary): if it has tags, every sentence begins with that of its
            language, unless these are ``tags_apart``.
        limit (int, optional): the most ids of a sentence, ``</s>`` and tag included.
        left_pad (bool): pad batches on the left.
        name (str): what messages call a sentence of this side.
        flag (str): what sets its limit, for messages.
        tags_apart (bool): tags are no symbols of sentences: the decoder begins with them.
    """

    langs: Sequence[str]
    dictionary: TextDictionary
    limit: Optional[int] = None
    left_pad: bool = False
    name: str = "sentence"
    flag: str = "--max-source-positions"
    tags_apart: bool = False

    @property
    def tags(self):
        """dict of str to int: of each language, the symbol its sentences begin with."""
        return {} if self.tags_apart else self.dictionary.tags

    @property
    def num_specials(self):
        """int: ids of a sentence that are not text: ``</s>`` and, with tags, its tag."""
        return 1 + bool(self.tags)

    def over(self, limit):
        """str: what a sentence of more ids than ``limit`` (int) is."""
        return f"a {self.name} over {limit - self.num_specials} {self.dictionary.plural}"

    def open_lines(self, path):
        """The lines of a file, without tags; over-long ones are cut.

        Args:
            path (str)

        Returns:
            LineDataset

        Raises:
            OSError: ``path`` cannot be read.
        """
        limit = self.limit
        if limit is not None and self.tags:
            limit -= 1
        return LineDataset(path, self.dictionary, limit)

    def tagged(self, sentences, lang):
        """``sentences`` (a dataset of Long[T]) behind the tag of ``lang`` (str), if any."""
        if not self.tags:
            return sentences
        return PrependTokenDataset(sentences, self.tags[lang])
