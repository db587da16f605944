"""Sentences from a stream, read as :class:`LineDataset` reads them from a file."""

import codecs


def read_sentences(stream):
    """The lines of a binary stream, one at a time; only ``\\n`` ends a line.

    One ``\\r`` before it and a byte-order mark at the start are stripped.

    Args:
        stream (binary file)

    Yields:
        str: bytes that are not UTF-8 are surrogates (``surrogateescape``).
    """
    for number, line in enumerate(stream):
        if number == 0 and line.startswith(codecs.BOM_UTF8):
            line = line[len(codecs.BOM_UTF8) :]
        if line.endswith(b"\n"):
            line = line[: -2 if line.endswith(b"\r\n") else -1]
        yield line.decode("utf-8", "surrogateescape")
