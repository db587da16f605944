"""What a line of text is: the one reader of lines.

Only ``\\n`` ends a line. One ``\\r`` before it and a byte-order mark at the start of the
text belong to no line, and the last line needs no end. All else is content: a lone ``\\r``,
NUL, U+2028, bytes that are not UTF-8. Readers that are faster, or that must do without this
package, are tested against this one.
"""

import codecs
import io

from .files import HEAD_BYTES, check_plain
from .text_dictionary import encode_utf8

#: how much of a text :func:`mark_length` looks at
MARK_BYTES = len(codecs.BOM_UTF8)


def mark_length(head):
    """What a text begins with that is none of it; every reader asks here first.

    Args:
        head (bytes): the first ``MARK_BYTES`` of a text, or more.

    Returns:
        int: bytes of its byte-order mark, 0 where there is none.
    """
    return len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0


def without_end(line):
    """``line`` (bytes or str) without the ``\\n`` behind it and one ``\\r`` before that."""
    cr, lf = ("\r", "\n") if isinstance(line, str) else (b"\r", b"\n")
    if not line.endswith(lf):
        return line
    return line[: -2 if line.endswith(cr + lf) else -1]


def raw_lines(stream):
    """The lines of a text, one at a time.

    Args:
        stream (iterable of bytes): a binary file, or else what ends with ``\\n`` each.

    Yields:
        bytes: without their ends.
    """
    for number, line in enumerate(stream):
        if number == 0:
            line = line[mark_length(line) :]
            if not line:  # a mark and nothing behind it
                return
        yield without_end(line)


def read_sentences(stream):
    """The lines of a text as str, one at a time.

    Args:
        stream (file): a binary one; of a text stream the bytes behind it, where there are
            any, since it may have cut them at a lone ``\\r``.

    Yields:
        str: bytes that are not UTF-8 are surrogates (``surrogateescape``).

    Raises:
        ValueError: what has arrived is compressed, UTF-16 or UTF-32.
    """
    stream = getattr(stream, "buffer", stream)
    name = str(getattr(stream, "name", "the text"))
    check_plain(_head(stream), "standard input" if name == "<stdin>" else name)
    for line in raw_lines(map(encode_utf8, stream)):
        yield line.decode("utf-8", "surrogateescape")


def _head(stream):
    """What can be seen of a stream (bytes) without waiting for more than its first line."""
    if isinstance(stream, io.TextIOBase):
        return b""  # somebody has decoded it already
    if not stream.seekable():
        return stream.peek(HEAD_BYTES)[:HEAD_BYTES] if hasattr(stream, "peek") else b""
    start = stream.tell()
    head = stream.read(HEAD_BYTES)
    stream.seek(start)
    return head


def join_lines(lines):
    """The inverse of :func:`raw_lines`.

    Args:
        lines (iterable of bytes): without ``\\n``.

    Returns:
        bytes: a text of these lines, each with its end.
    """
    raw = b"".join(line + (b"\r\n" if line.endswith(b"\r") else b"\n") for line in lines)
    return codecs.BOM_UTF8 + raw if mark_length(raw) else raw


def count_invalid_lines(raw):
    """How many lines of ``raw`` (bytes) are not UTF-8.

    One pass of Python's own decoder: it stops at a broken sequence, whose line
    is counted and skipped.
    """
    count, view = 0, memoryview(raw)
    while view:
        try:
            codecs.utf_8_decode(view, "strict", True)
            break
        except UnicodeDecodeError as error:
            count += 1
            newline = raw.find(b"\n", len(raw) - len(view) + error.start)
            if newline < 0:
                break
            view = memoryview(raw)[newline + 1 :]
    return count
