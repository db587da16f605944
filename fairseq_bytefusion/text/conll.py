"""Labelled words, one a line: the ``.conll`` files of tagging."""

import logging
from typing import List, NamedTuple

from .labelled_lines import check_label, check_label_column, counted, numbered_lines
from .text_dictionary import encode_utf8
from .word_list import is_word

logger = logging.getLogger(__name__)


class LabelledSentences(NamedTuple):
    """Sentences of words, with a label a word.

    Attributes:
        words (list of list of str): none is empty or holds white space.
        labels (list of list of str): as many.
    """

    words: List[List[str]]
    labels: List[List[str]]


def read_conll(path, label_column=None):
    """The sentences of a file of a word a line.

    Columns are split at tabs, or at spaces in a file that has no tab; the first one is the
    word. An empty line ends a sentence. ``#`` begins a comment where a space follows and
    the line has no tab; how many there are is logged.

    Args:
        path (str): lines are those of :mod:`.lines`.
        label_column (int, optional): counts from 1; the last one by default.

    Returns:
        LabelledSentences: bytes that are not UTF-8 are surrogates (``surrogateescape``).

    Raises:
        OSError: it cannot be read.
        ValueError: a missing column, white space inside a word or a label, no word at all;
            no plain UTF-8.
    """
    check_label_column(label_column, first=2)
    lines = list(numbered_lines(path))
    separator = "\t" if any("\t" in line for _, line in lines) else " "
    words, labels, num_comments, columns = [[]], [[]], 0, None
    for number, line in lines:
        if not line:
            if words[-1]:
                words.append([])
                labels.append([])
        elif line.startswith("# ") and "\t" not in line:
            num_comments += 1
        else:
            where = f"{path}, line {number}"
            fields = _fields(line, separator)
            columns = columns or len(fields)
            words[-1].append(_word(fields, where))
            labels[-1].append(_label(fields, label_column, columns, where))
    if not words[-1]:
        del words[-1], labels[-1]
    if not words:
        raise ValueError(f"{path} holds no word")
    if num_comments:
        logger.info("%s: %d lines are comments (# ...)", path, num_comments)
    return LabelledSentences(words, labels)


def _fields(line, separator):
    if separator == "\t":
        return line.split("\t")
    return [field for field in line.split(" ") if field]


def _word(fields, where):
    if not "".join(fields).strip(" "):
        raise ValueError(
            f"{where}: nothing but white space: a line that ends a sentence must be empty"
        )
    if not fields[0]:
        raise ValueError(f"{where}: the first column, the word, is empty")
    if not is_word(encode_utf8(fields[0])):
        raise ValueError(
            f"{where}: white space inside the word {fields[0]!r}: it must stand between "
            "words only, one a line"
        )
    return fields[0]


def _label(fields, label_column, columns, where):
    if columns < 2:
        raise ValueError(
            f"{where}: one column, where a word and its label are needed, with a tab "
            "between them"
        )
    if label_column is None and len(fields) != columns:
        raise ValueError(
            f"{where}: {counted(fields)}, where the first line has {columns}: the last "
            "one is the label, unless --label-column says which"
        )
    label = check_label(fields, label_column or columns, where)
    if not is_word(encode_utf8(label)):
        raise ValueError(f"{where}: white space inside the label {label!r}")
    return label
