"""Lines of a stream as they arrive: a program at the other end may be waiting for us."""

import collections
import io
import itertools
import select

from ..text.lines import read_sentences

#: seconds without a new line that are a pause
PAUSE = 0.1
_BLOCK = 1 << 20


class _ArrivingLines:
    """The lines (bytes, with their ends) of a binary stream, which can be asked whether
    there is another one yet.

    What checks the beginning of a text can peek at it first, as at that of a pipe.
    """

    def __init__(self, stream):
        self.name = getattr(stream, "name", "standard input")
        self._stream = stream
        self._lines = collections.deque()
        self._rest = []
        self._is_at_end = False

    def __iter__(self):
        return self

    def __next__(self):
        while not self._lines and not self._is_at_end:
            self._read()
        if not self._lines:
            raise StopIteration
        return self._lines.popleft()

    def seekable(self):
        return False

    def peek(self, size):
        """bytes: what has arrived before anything was taken; waits for some of it."""
        self._read()
        return b"".join([*self._lines, *self._rest])

    def has_arrived(self):
        """Whether the next line can be had without waiting."""
        while not self._lines and not self._is_at_end and self._can_read():
            self._read()
        return bool(self._lines)

    def _read(self):
        block = self._stream.read1(_BLOCK)
        *whole, rest = block.split(b"\n")
        if whole:
            whole[0] = b"".join([*self._rest, whole[0]])
            self._rest = []
            self._lines.extend(line + b"\n" for line in whole)
        self._rest.append(rest)
        if not block:
            self._is_at_end = True
            if last := b"".join(self._rest):
                self._lines.append(last)

    def _can_read(self):
        try:
            return bool(select.select([self._stream], [], [], PAUSE)[0])
        except (io.UnsupportedOperation, ValueError, OSError):
            return True  # no pipe or terminal (or, on Windows, no socket)


def arriving_sentences(stream, most):
    """The sentences of a stream in chunks: what is there when the input pauses.

    Args:
        stream (file): a binary one with ``read1``.
        most (int): of a chunk. An input that does not pause comes in chunks of so many.

    Yields:
        list of str: at least one, see :func:`~..text.lines.read_sentences`.
    """
    lines = _ArrivingLines(stream)
    sentences = read_sentences(lines)
    while chunk := list(itertools.islice(sentences, 1)):
        while len(chunk) < most and lines.has_arrived():
            chunk.extend(itertools.islice(sentences, 1))
        yield chunk
