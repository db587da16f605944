"""Labelled sentences, one a line: the ``.tsv`` files of classification."""

from .labelled_lines import check_label, check_label_column, field, numbered_lines


def read_columns(path, text_column=1, label_column=2):
    """Texts and their labels from a file of columns, which tabs separate.

    Args:
        path (str): lines are those of :mod:`.lines`.
        text_column (int): counts from 1; it may be empty.
        label_column (int, optional): None reads texts alone.

    Returns:
        tuple: list of str, the texts, and list of str, their labels (None without);
        bytes that are not UTF-8 are surrogates (``surrogateescape``).

    Raises:
        OSError: it cannot be read.
        ValueError: a missing column, a label that is empty, no line at all; no plain UTF-8.
    """
    check_label_column(label_column, first=1)
    texts, labels = [], []
    for number, line in numbered_lines(path):
        where = f"{path}, line {number}"
        fields = line.split("\t")
        texts.append(field(fields, text_column, where, "--text-column"))
        if label_column is not None:
            labels.append(check_label(fields, label_column, where))
    if not texts:
        raise ValueError(f"{path} has no lines")
    return texts, (None if label_column is None else labels)
