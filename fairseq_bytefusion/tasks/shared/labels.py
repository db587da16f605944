"""Which labels a task has: found in training data, kept by a checkpoint."""

import functools
import logging
from collections import Counter

import numpy as np
import torch
from fairseq import utils

from ...data.labelled import labelled_file
from ...text.word_list import pack_labels, unpack_labels

logger = logging.getLogger(__name__)
_MOST_SHOWN = 5


class SavedLabels:
    """For a task beside :class:`~.vocabularies.SavedVocabularies`, which has ``ENDING``
    and ``count_labels(path)``: the labels of its training data.

    ``labels[i]`` is the label of id i. A label of another split that training lacks has an
    id from ``len(labels)`` on: nothing is trained on it, and every guess is wrong.
    """

    #: list of str, once they are known
    _labels = None
    #: list of int: how often each is in training data
    _counts = None

    @property
    def labels(self):
        """list of str: those of the checkpoint that is being loaded, or else those of the
        training data, sorted.

        Raises:
            OSError, ValueError: see :meth:`count_labels`; one label only.
        """
        if self._labels is None:
            self._read_labels()
        return self._labels

    @property
    def label_counts(self):
        """list of int: how often each of :attr:`labels` is in the training data."""
        if self._labels is None:
            self._read_labels()
        return self._counts

    @functools.cached_property
    def _unknown(self):
        """dict of str to int: labels that training lacks, and their ids."""
        return {}

    @functools.cached_property
    def _ids(self):
        return {label: i for i, label in enumerate(self.labels)}

    def label_id(self, label):
        """int: the id of ``label`` (str), a new one for a label that is not known."""
        if label in self._ids:
            return self._ids[label]
        return self._unknown.setdefault(label, len(self.labels) + len(self._unknown))

    def label_name(self, index):
        """str: the label of id ``index`` (int)."""
        if index < len(self.labels):
            return self.labels[index]
        return list(self._unknown)[index - len(self.labels)]

    def warn_of_unknown(self, ids, path):
        """Log how many labels of a file training lacks.

        Args:
            ids (list of int or of Long[S]): see :meth:`label_id`.
            path (str)
        """
        flat = np.concatenate([np.atleast_1d(row) for row in ids])
        unknown = Counter(flat[flat >= len(self.labels)].tolist())
        if unknown:
            shown = [self.label_name(i) for i, _ in unknown.most_common(_MOST_SHOWN)]
            logger.warning(
                "%s: %d of %d labels are not in the training data (%s%s): each counts as "
                "wrong, and the loss is without them",
                *(path, sum(unknown.values()), (flat >= 0).sum(), ", ".join(shown)),
                ", ..." if len(unknown) > _MOST_SHOWN else "",
            )

    def training_files(self):
        """list of str: paths of the training data, one a shard.

        Raises:
            FileNotFoundError: one is not there.
        """
        folders = utils.split_paths(self.cfg.data)
        subset = self.cfg.train_subset
        return [labelled_file(folder, subset, self.ENDING) for folder in folders]

    def _read_labels(self):
        counts, paths = Counter(), self.training_files()
        for path in paths:
            counts.update(self.count_labels(path))
        if len(counts) < 2:
            raise ValueError(
                f"{' and '.join(paths)}: one label only, {next(iter(counts))}: there is "
                "nothing to learn; --label-column says which column is the label"
            )
        self._labels = sorted(counts)
        self._counts = [counts[label] for label in self._labels]

    def state_dict(self):
        """As in fairseq, and the labels, as tensors: every torch loads these."""
        return {
            **super().state_dict(),
            "labels": pack_labels(self.labels),
            "label_counts": torch.tensor(self.label_counts),
        }

    def load_state_dict(self, state):
        """Called by fairseq before it builds the model of a checkpoint: its labels are
        those of the task from here on.

        Raises:
            ValueError: the model before it in an ensemble has others.
        """
        super().load_state_dict(state)
        labels = unpack_labels(state["labels"])
        if self._has_model and labels != self.labels:
            raise ValueError(
                "it has other labels than the model before it: they cannot be an ensemble"
            )
        self._labels, self._counts = labels, state["label_counts"].tolist()
        self.__dict__.pop("_ids", None)

    def check_restored(self, state):
        """As of the vocabularies: training goes on with the same labels.

        Raises:
            ValueError: they are others.
        """
        super().check_restored(state)
        if "labels" not in state:
            raise ValueError("it is of a task without labels: choose another --save-dir")
        then = unpack_labels(state["labels"])
        if then != self.labels:
            differing = sorted(set(then) ^ set(self.labels))
            raise ValueError(
                "it was trained with other labels than those of the training data "
                f"({', '.join(differing[:5])}): give the data of then, or train anew in "
                "another --save-dir"
            )
