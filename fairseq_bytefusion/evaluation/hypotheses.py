"""Hypotheses from a plain file or from a log of ``fairseq-generate``."""

import logging
import re
from dataclasses import dataclass
from typing import List, Optional

from ..text.files import open_text
from ..text.lines import count_invalid_lines, raw_lines

logger = logging.getLogger(__name__)

# What fairseq prints of a sentence: S-3<tab>source, T-3<tab>reference,
# D-3<tab>score<tab>detokenised hypothesis.
_LOG_LINE = re.compile(rb"([STD])-(\d+)\t(.*)", re.DOTALL)
_SCORED_TEXT = re.compile(rb"(?:-?[0-9.]+(?:e[+-]?\d+)?|-?inf|nan)\t(.*)", re.DOTALL)


@dataclass
class Hypotheses:
    """The translations of a test set, in its order.

    ``sources`` and ``references`` are what the log holds of them, or None.
    """

    path: str
    texts: List[str]
    sources: Optional[List[str]] = None
    references: Optional[List[str]] = None


def _split_lines(path):
    """Lines of ``path``: list of bytes."""
    with open_text(path) as file:
        return list(raw_lines(file))


def _decode(path, lines):
    if invalid := count_invalid_lines(b"\n".join(lines)):
        logger.warning(
            "%s: %d of %d lines are not UTF-8; the bytes are shown as U+FFFD",
            path,
            invalid,
            len(lines),
        )
    return [line.decode("utf-8", "replace") for line in lines]


def read_lines(path):
    """The lines of a text file, see :mod:`~..text.lines`.

    Bytes that are not UTF-8 become U+FFFD, counted and logged. A compressed file is
    unpacked, one in UTF-16 or UTF-32 decoded, see :func:`~..text.files.open_text`.

    Args:
        path (str)

    Returns:
        list of str

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, or no text.
    """
    return _decode(path, _split_lines(path))


def read_hypotheses(path):
    """Translations from a plain file, or in sentence order from a fairseq log.

    A file with D- lines is a log. Of an n-best list the first, which is the best,
    counts.

    Args:
        path (str)

    Returns:
        Hypotheses

    Raises:
        OSError: the file cannot be read.
        ValueError: a log in which a sentence is missing; a damaged file, or no text.
    """
    lines = _split_lines(path)
    found = {b"S": {}, b"T": {}, b"D": {}}
    for line in lines:
        match = _LOG_LINE.fullmatch(line)
        if match is None:
            continue
        kind, number, text = match.groups()
        if kind == b"D":
            scored = _SCORED_TEXT.fullmatch(text)
            if scored is None:
                continue
            text = scored[1]
        found[kind].setdefault(int(number), text)
    if not found[b"D"]:
        return Hypotheses(path, _decode(path, lines))

    expected = range(1 + max(i for texts in found.values() for i in texts))

    def in_order(kind):
        texts = found[kind]
        if not texts:
            return None
        _check_complete(path, kind.decode(), texts, expected)
        return _decode(path, [texts[i] for i in expected])

    return Hypotheses(path, in_order(b"D"), in_order(b"S"), in_order(b"T"))


def warn_of_unknown_symbols(hypotheses):
    """Log how many references of a log (Hypotheses) are not the text they were.

    fairseq prints ``<<unk>>`` for what the target dictionary of the model lacks.
    """
    count = sum("<<unk>>" in reference for reference in hypotheses.references)
    if count:
        logger.warning(
            "%s: %d of %d references hold <<unk>>, what the model's vocabulary lacks: to "
            "score against the text itself give --ref",
            hypotheses.path,
            count,
            len(hypotheses.references),
        )


def _check_complete(path, kind, texts, expected):
    missing = sorted(set(expected) - texts.keys())
    if missing:
        shown = ", ".join(map(str, missing[:5])) + (" ..." if len(missing) > 5 else "")
        raise ValueError(
            f"{path} lacks {len(missing)} of {len(expected)} sentences ({kind}- lines "
            f"{shown}): was generation interrupted, or run on one shard?"
        )
