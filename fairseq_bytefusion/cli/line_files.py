"""Files that verbs read a line at a time, and write to."""

import contextlib
import errno
import gzip
import io
import itertools
import os
import sys

from ..checkpoints.publishing import publishing
from ..text.files import open_text
from ..text.lines import raw_lines, read_sentences
from .arriving import arriving_sentences


class Lines:
    """Sentences of a file, unpacked where it is compressed, or of standard input.

    Args:
        path (str or None): None for standard input, whose lines come as they arrive.

    Raises:
        OSError, ValueError: it cannot be read.
    """

    def __init__(self, path):
        self.path = path
        #: int: how many there are; None where that is not known before the end
        self.count = None
        if path is None and sys.stdin is None:
            raise ValueError("standard input is closed: give it sentences, one a line")
        if path is not None:
            with open_text(path) as stream:
                self.count = sum(1 for _ in raw_lines(stream))

    @property
    def name(self):
        """str: for messages."""
        return "standard input" if self.path is None else self.path

    def chunks(self, most):
        """Lists of at most ``most`` (int) sentences (str)."""
        if self.path is None:
            yield from arriving_sentences(sys.stdin.buffer, most)
            return
        with open_text(self.path) as stream:
            sentences = read_sentences(stream)
            while chunk := list(itertools.islice(sentences, most)):
                yield chunk


class BesideLines:
    """A file with a line for each line of another one.

    Args:
        path (str)
        flag (str): that named it.

    Raises:
        OSError, ValueError: it cannot be read.
    """

    def __init__(self, path, flag):
        self.path, self.flag = path, flag
        with open_text(path) as stream:
            self._left = list(read_sentences(stream))
        self.count, self._taken = len(self._left), 0

    def check_count(self, lines):
        """Raise ValueError where ``lines`` (Lines) are known to be more or fewer."""
        if lines.count not in (None, self.count):
            raise self._other_length(lines.name, lines.count)

    def take(self, count, lines):
        """list of str: the next ``count`` lines, beside those of ``lines``.

        Raises:
            ValueError: there are fewer.
        """
        start, self._taken = self._taken, self._taken + count
        if self._taken > self.count:
            raise self._other_length(lines.name, f"{self._taken} or more")
        return self._left[start : self._taken]

    def end(self, lines):
        """Raise ValueError where there are more lines than were taken."""
        if self._taken < self.count:
            raise self._other_length(lines.name, self._taken)

    def _other_length(self, name, count):
        return ValueError(
            f"{self.flag} {self.path} has {self.count} lines, and {name} has {count}: "
            "give a line for each, an empty one where there is nothing to say"
        )


@contextlib.contextmanager
def output_text(path, overwrite):
    """A text file to write, which appears when it is complete, or standard output.

    Args:
        path (str or None): None for standard output; compressed where it ends in ``.gz``.
        overwrite (bool): whether a file that is there may be replaced.

    Yields:
        file: bytes that were no UTF-8 are written as they were.

    Raises:
        FileExistsError: it is there.
        OSError, ValueError: see :func:`publishing`.
    """
    if path is None:
        yield sys.stdout
        return
    if os.path.exists(path) and not overwrite:
        raise FileExistsError(
            errno.EEXIST, "the file exists and is kept: add --overwrite", path
        )
    with publishing(path) as file, contextlib.ExitStack() as stack:
        if path.endswith(".gz"):
            # Neither name nor time: equal texts make equal files.
            file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        text = io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="\n")
        try:
            yield text
        finally:
            text.detach()  # else it would close the file once more, some time
