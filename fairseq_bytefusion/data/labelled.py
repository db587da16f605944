"""Labelled files -> a fairseq dataset of one side."""

import logging
import os

import numpy as np
import torch
from fairseq.data import data_utils

from ..text.labelled_lines import NO_LABEL
from .encoded_texts import EncodedTexts
from .pairs.pair_files import require_directory, unusable
from .sentences import SentenceDataset

logger = logging.getLogger(__name__)


class LabelledDataset(SentenceDataset):
    """Sentences with a label a sentence, or one a word.

    Labels of words lie as a model has its words: padded on the right, whatever side the
    symbols are padded on, with ``NO_LABEL`` for ``</s>``.

    Args:
        side, parts, labels, **options: see :class:`SentenceDataset`.
        features (callable, optional): list of int, the ids of samples, to what a model
            gets as ``features``, Float[B, F].
    """

    def __init__(self, side, parts, labels=None, features=None, **options):
        super().__init__(side, parts, labels, **options)
        self._features = features

    def collater(self, samples, pad_to_length=None):
        """As of the base class, and ``features`` of the sentences in ``net_input``."""
        batch = super().collater(samples, pad_to_length)
        if batch and self._features is not None:
            batch["net_input"]["features"] = self._features(batch["id"].tolist())
        return batch

    def _stacked(self, rows):
        if rows[0].dim() == 0:
            return torch.stack(rows)
        return data_utils.collate_tokens(rows, NO_LABEL, left_pad=False)


def labelled_file(data_dir, split, ending):
    """The path of a split of labelled data.

    Args:
        data_dir, split (str)
        ending (str): ``conll`` or ``tsv``.

    Returns:
        str

    Raises:
        FileNotFoundError: no such file; says what is there instead.
    """
    path = os.path.join(data_dir, f"{split}.{ending}")
    if not os.path.isfile(path):
        require_directory(data_dir)
        there = ", ".join(n for n in sorted(os.listdir(data_dir)) if n.endswith(ending))
        raise FileNotFoundError(
            f"no such file: {path}; of files named .{ending} {data_dir} holds "
            f"{there or 'none'}{unusable([path])}"
        )
    return path


def encode_sentences(texts, side, name, **fitting):
    """Texts as ids, cut where the side, or the model, has a limit.

    Args:
        texts (list of str or bytes)
        side (Side)
        name (str): of the texts, for messages.
        **fitting: ``shorten`` and ``too_long`` of :class:`EncodedTexts`.

    Returns:
        EncodedTexts
    """
    return EncodedTexts(texts, side.dictionary, side.limit, name, **fitting)


def word_labels(labels, sentences, count_words):
    """Labels of words as a batch has them.

    Args:
        labels (list of list of int): a label a word.
        sentences (EncodedTexts): of these words; may have been cut.
        count_words (callable): Long[T], ids of a sentence, to its number of words.

    Returns:
        list of Long[S]: S is the words that are left, and ``</s>``, which has no label.
    """
    rows, num_lost = [], 0
    for i, row in enumerate(labels):
        if sentences.is_cut[i]:
            kept = count_words(sentences[i])
            num_lost += len(row) - kept
            row = row[:kept]
        rows.append(np.array([*row, NO_LABEL], np.int64))
    if num_lost:
        logger.warning(
            "%s: %d words of sentences that are cut, and their labels, are left out",
            *(sentences.name, num_lost),
        )
    return rows
