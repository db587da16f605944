"""``--task byte_tagging``: a label for each word of raw text."""

import itertools
from collections import Counter
from dataclasses import dataclass, field
from typing import Optional

from fairseq.tasks import register_task

from ..data.labelled import word_labels
from ..text.conll import read_conll
from ..text.labelled_lines import check_label_column
from ..text.word_list import joined_words
from ..text.words import symbol_tables, unique_words
from .shared.labelling import LabellingTask
from .shared.labelling_options import LabellingConfig


@dataclass
class ByteTaggingConfig(LabellingConfig):
    """The options of labelling, and where labels are."""

    label_column: Optional[int] = field(
        default=None,
        metadata={
            "help": "column of the labels in DATA/train.conll ..., from 1; default: the "
            "last one"
        },
    )


@register_task("byte_tagging", dataclass=ByteTaggingConfig)
class ByteTaggingTask(LabellingTask):
    """Label the words of ``DATA/train.conll``, ``valid`` and ``test``: a word a line.

    See :func:`~..text.conll.read_conll` for the files. A sentence is its words with one
    space between them.
    """

    NAME, ENDING = "byte_tagging", "conll"

    @classmethod
    def setup_task(cls, cfg, **kwargs):
        """
        Raises:
            FileNotFoundError, ValueError: see :class:`LabellingTask`; a bad column.
        """
        check_label_column(cfg.label_column, first=2)
        return super().setup_task(cfg, **kwargs)

    def count_labels(self, path):
        """Counter: how often each label is in a file (str)."""
        _, labels = read_conll(path, self.cfg.label_column)
        return Counter(itertools.chain.from_iterable(labels))

    def read_labelled(self, path):
        """list of bytes, sentences, and list of list of str, the labels of their words."""
        words, labels = read_conll(path, self.cfg.label_column)
        return list(map(joined_words, words)), labels

    def encode_labels(self, labels, sentences):
        """list of Long[S]: see :func:`~..data.labelled.word_labels`."""
        ids = [[self.label_id(label) for label in row] for row in labels]
        return word_labels(ids, sentences, self.count_words)

    def count_words(self, ids):
        """int: the words of a sentence (Long[T]), without ``</s>``."""
        tables = symbol_tables(self.dictionary)
        words = unique_words(ids.unsqueeze(0), self.dictionary.pad(), tables, 1)
        return words.index.shape[1] - 1
