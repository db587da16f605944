"""What the readers of labelled text share: lines with their numbers, and columns."""

import logging

from .lines import read_sentences

logger = logging.getLogger(__name__)

#: label of no word: what PyTorch's cross-entropy leaves out
NO_LABEL = -100


def numbered_lines(path):
    """The lines of a file and their numbers, from 1; how many are not UTF-8 is logged.

    Args:
        path (str): read as it lies.

    Yields:
        tuple: int and str, bytes that are not UTF-8 as surrogates.

    Raises:
        OSError: it cannot be read.
        ValueError: compressed, UTF-16 or UTF-32.
    """
    count = num_invalid = 0
    with open(path, "rb") as file:
        for count, line in enumerate(read_sentences(file), start=1):
            num_invalid += not _is_utf8(line)
            yield count, line
    if num_invalid:
        logger.warning("%s: %d of %d lines are not UTF-8", path, num_invalid, count)


def _is_utf8(text):
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def field(fields, column, where, flag):
    """A column of a line.

    Args:
        fields (list of str)
        column (int): counts from 1.
        where (str): file and line, for messages.
        flag (str): that says which column.

    Returns:
        str

    Raises:
        ValueError: the line has fewer.
    """
    if column > len(fields):
        raise ValueError(
            f"{where}: {counted(fields)}, and {flag} is {column}: tabs separate columns, "
            "and one is missing"
        )
    return fields[column - 1]


def counted(fields):
    """str: how many columns ``fields`` (list) are."""
    return "1 column" if len(fields) == 1 else f"{len(fields)} columns"


def check_label(fields, column, where):
    """The label of a line, which must be there, and be UTF-8.

    Args:
        fields, column, where: as of :func:`field`.

    Raises:
        ValueError: no such column, or nothing in it.
    """
    label = field(fields, column, where, "--label-column")
    if not label.strip(" \t\r\v\f"):
        raise ValueError(f"{where}: the label in column {column} is empty")
    if not _is_utf8(label):
        raise ValueError(f"{where}: the label {label!r} is not UTF-8")
    return label


def check_label_column(column, first):
    """Raise ValueError where the label's ``column`` (int or None) is before ``first``."""
    if column is not None and column < first:
        reason = "column 1 is the word" if first > 1 else "columns count from 1"
        raise ValueError(f"--label-column {column} must be at least {first}: {reason}")
