"""``--task byte_classification``: a label for each sentence of raw text."""

from collections import Counter
from dataclasses import dataclass, field

from fairseq.tasks import register_task

from ..text.columns import read_columns
from .shared.labelling import LabellingTask
from .shared.labelling_options import LabellingConfig


@dataclass
class ByteClassificationConfig(LabellingConfig):
    """The options of labelling, and where texts and labels are."""

    text_column: int = field(
        default=1, metadata={"help": "column of the text in DATA/train.tsv ..., from 1"}
    )
    label_column: int = field(
        default=2, metadata={"help": "column of the label in DATA/train.tsv ..., from 1"}
    )


@register_task("byte_classification", dataclass=ByteClassificationConfig)
class ByteClassificationTask(LabellingTask):
    """Label the sentences of ``DATA/train.tsv``, ``valid`` and ``test``: text TAB label.

    See :func:`~..text.columns.read_columns` for the files.
    """

    NAME, ENDING = "byte_classification", "tsv"

    @classmethod
    def setup_task(cls, cfg, **kwargs):
        """
        Raises:
            FileNotFoundError, ValueError: see :class:`LabellingTask`; a bad column.
        """
        for flag, column in (
            ("--text-column", cfg.text_column),
            ("--label-column", cfg.label_column),
        ):
            if column < 1:
                raise ValueError(
                    f"{flag} {column} must be at least 1: columns count from 1"
                )
        if cfg.text_column == cfg.label_column:
            raise ValueError(
                f"--text-column and --label-column are both {cfg.text_column}: change one"
            )
        return super().setup_task(cfg, **kwargs)

    def count_labels(self, path):
        """Counter: how often each label is in a file (str)."""
        return Counter(self.read_labelled(path)[1])

    def read_labelled(self, path):
        """list of str, texts, and list of str, their labels."""
        return read_columns(path, self.cfg.text_column, self.cfg.label_column)

    def encode_labels(self, labels, sentences):
        """list of int: a label a sentence."""
        return list(map(self.label_id, labels))
