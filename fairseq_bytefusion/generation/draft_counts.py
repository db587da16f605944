"""Counts of n-grams of training targets, for ``--draft ngram``."""

import logging

import numpy as np

from ..data.lines.line_dataset import LineDataset
from ..data.pairs.pair_files import find_pair, require_directory
from ..search.drafts import NgramDraft
from ..search.drafts.ngram import vocabulary_name
from ..search.drafts.ngram_table import NgramTable
from ..text import load_dictionary

logger = logging.getLogger(__name__)

#: more text makes a table of the largest size little better
MOST_BYTES = 50_000_000


def count_draft(data_dir, sources, target, unit="byte", order=7):
    """A draft of the targets of training, of at most ``MOST_BYTES`` of them.

    Args:
        data_dir (str): a raw-text directory.
        sources (list of str), target (str): languages.
        unit (str): ``--target-unit``.
        order (int): n; a symbol is foreseen from the n - 1 before it.

    Returns:
        NgramDraft

    Raises:
        OSError: no such directory or file; a vocabulary is missing.
        ValueError: the training targets have no text; n below 2.
    """
    if order < 2:
        raise ValueError(
            f"--order {order} must be at least 2: one symbol, and what follows"
        )
    require_directory(data_dir)
    dictionary = load_dictionary(unit, data_dir, [target])
    texts, room = [], MOST_BYTES
    for source in sources:
        path = find_pair(data_dir, "train", source, target)[1]
        room -= _read(LineDataset(path, dictionary), room, texts)
    if not texts:
        raise ValueError(f"the training targets of {data_dir} hold no text to count")
    table = NgramTable.count(order, np.concatenate(texts), dictionary.eos())
    return NgramDraft(table, vocabulary_name(dictionary), dictionary.eos())


def _read(lines, room, texts):
    """Append ids of ``lines`` (LineDataset) to ``texts``; returns how many bytes they are,
    ``room`` at most."""
    taken = 0
    for index in range(len(lines)):
        raw = lines.line_bytes(index)
        if taken + len(raw) > room:
            logger.info("%s: the first %d lines are counted", lines.path, index)
            break
        taken += len(raw)
        if raw:
            texts.append(lines.dictionary.encode_line(raw).numpy())
    return taken
