"""``--task byte_classification``: a label for each sentence of raw text."""

from collections import Counter
from dataclasses import dataclass, field

from fairseq.tasks import register_task

from ..data.tfidf import TfIdf
from ..text.columns import read_columns
from .shared.labelling import LabellingTask
from .shared.labelling_options import LabellingConfig

MOST_FEATURES = 5000


@dataclass
class ByteClassificationConfig(LabellingConfig):
    """The options of labelling, and where texts and labels are."""

    text_column: int = field(
        default=1, metadata={"help": "column of the text in DATA/train.tsv ..., from 1"}
    )
    label_column: int = field(
        default=2, metadata={"help": "column of the label in DATA/train.tsv ..., from 1"}
    )
    tfidf: bool = field(
        default=False,
        metadata={
            "help": "features beside the mean over words: tf-idf of 1-, 2- and 3-grams of "
            "words and of characters (needs scikit-learn); a checkpoint keeps them"
        },
    )
    tfidf_features: int = field(
        default=MOST_FEATURES,
        metadata={"help": "--tfidf: so many n-grams of words, and of characters"},
    )


@register_task("byte_classification", dataclass=ByteClassificationConfig)
class ByteClassificationTask(LabellingTask):
    """Label the sentences of ``DATA/train.tsv``, ``valid`` and ``test``: text TAB label.

    See :func:`~..text.columns.read_columns` for the files.
    """

    NAME, ENDING = "byte_classification", "tsv"
    _tfidf = None

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
        _check_tfidf(cfg)
        return super().setup_task(cfg, **kwargs)

    @property
    def tfidf(self):
        """TfIdf: that of the checkpoint that is being loaded, or else of training data;
        None without ``--tfidf``.

        Raises:
            OSError, ValueError: see :func:`~..text.columns.read_columns`; scikit-learn is
                not installed.
        """
        if self.cfg.tfidf and self._tfidf is None:
            paths = self.training_files()
            texts = [text for path in paths for text in self.read_labelled(path)[0]]
            self._tfidf = TfIdf.fit(texts, self.cfg.tfidf_features, paths[0])
        return self._tfidf

    @property
    def num_features(self):
        """int: F of a batch's ``features``; 0 without ``--tfidf``."""
        return 0 if self.tfidf is None else len(self.tfidf)

    def features_of(self, texts):
        """A function from numbers of ``texts`` (list of str) to Float[B, F]; None without
        ``--tfidf``."""
        return None if self.tfidf is None else self.tfidf.rows(texts)

    def state_dict(self):
        """As of labelling tasks, and the n-grams of ``--tfidf`` with their weights."""
        state = super().state_dict()
        if self.tfidf is not None:
            state["tfidf"] = self.tfidf.state()
        return state

    def load_state_dict(self, state):
        """Called by fairseq before it builds the model of a checkpoint.

        Raises:
            ValueError: see :class:`LabellingTask`; it needs scikit-learn, which is not
                installed.
        """
        super().load_state_dict(state)
        if "tfidf" in state:
            self._tfidf = TfIdf.from_state(state["tfidf"])

    def check_restored(self, state):
        """As of labelling tasks; features are those of the same n-grams.

        Raises:
            ValueError: they are others.
        """
        super().check_restored(state)
        then = state.get("tfidf")
        if then and self.tfidf is not None and not self.tfidf.is_that_of(then):
            raise ValueError(
                "the n-grams of --tfidf are not those it was trained with: give the "
                "training data and --tfidf-features of then"
            )

    def count_labels(self, path):
        """Counter: how often each label is in a file (str)."""
        return Counter(self.read_labelled(path)[1])

    def read_labelled(self, path):
        """list of str, texts, and list of str, their labels."""
        return read_columns(path, self.cfg.text_column, self.cfg.label_column)

    def encode_labels(self, labels, sentences):
        """list of int: a label a sentence."""
        return list(map(self.label_id, labels))


def _check_tfidf(cfg):
    if cfg.tfidf_features < 1:
        raise ValueError(f"--tfidf-features {cfg.tfidf_features} must be at least 1")
    if cfg.tfidf_features != MOST_FEATURES and not cfg.tfidf:
        raise ValueError(
            f"--tfidf-features {cfg.tfidf_features} does nothing without --tfidf: add that "
            "or drop it"
        )
