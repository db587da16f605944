"""Pairs of lines in blocks: what the readers make and everything else consumes.

Lines are those of :mod:`fairseq_bytefusion.text.lines`, found by the block and without that
package, which takes every worker seconds to import; a test holds the two equal.
"""

import codecs
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from data_prep.package_files import damaged, open_text

BLOCK_BYTES = 1 << 19  # a side; hashing is fastest while a block fits a cache
MAX_LINE_BYTES = 1 << 26
_READ_ERRORS = (OSError, EOFError, zlib.error, zipfile.BadZipFile)


@dataclass
class PairBlock:
    """Aligned lines of a pair.

    ``source`` and ``target`` are bytes of as many lines each, every line ended by
    ``\\n``; a ``\\r`` before that is content. ``malformed`` counts the records read that
    held no such pair.
    """

    source: bytes
    target: bytes
    malformed: int = 0


class Stream:
    """A file read in chunks: unpacked, as UTF-8; its content says what it is.

    Args:
        path (str): for opening and for messages.
        progress (callable, optional): called with the number of bytes read from disk.
        file (binary file, optional): read this instead of opening ``path``.
        recode (bool): without, UTF-16 and UTF-32 stay what they are.

    Raises:
        OSError: there is no such file.
        ValueError: it is damaged, or cannot be read, see ``text.files.open_text``.
    """

    def __init__(self, path, progress=None, file=None, recode=True):
        self.path = str(path)
        raw = CountedFile(_open(path) if file is None else file, progress)
        with self._reading():
            self._file = open_text(self.path, raw, recode)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Close the file."""
        self._file.close()

    def read(self, size=-1):
        """At most ``size`` bytes; empty at the end.

        Raises:
            ValueError: the file is damaged or cut short.
        """
        with self._reading():
            return self._file.read(size)

    @contextmanager
    def _reading(self):
        try:
            yield
        except _READ_ERRORS as error:
            raise damaged(self.path, error) from error


def _open(path):
    return open(path, "rb")  # noqa: SIM115  (Stream closes it)


class CountedFile:
    """A binary file that reports how much is read from it."""

    def __init__(self, file, progress):
        self._file, self._progress = file, progress

    def read(self, size=-1):
        data = self._file.read(size)
        if self._progress is not None:
            self._progress(len(data))
        return data

    def __getattr__(self, name):
        return getattr(self._file, name)


class _Side:
    """Whole lines of a stream that wait for their other half."""

    def __init__(self, stream):
        self.stream, self._at_end, self._taken = stream, False, 0
        self._data = _without_mark(stream)
        self._ends = np.empty(0, np.int64)  # behind each whole line of _data

    @property
    def num_waiting(self):
        return len(self._ends)

    @property
    def num_lines(self):
        return self._taken + self.num_waiting

    def fill(self):
        """Read until half a block of whole lines waits or the stream ends."""
        while not self._at_end and (
            not self.num_waiting or len(self._data) < BLOCK_BYTES // 2
        ):
            self._check_line_length()
            chunk = self.stream.read(BLOCK_BYTES)
            if not chunk:
                self._at_end = True
                chunk = _missing_end(self._data)
            self._data += chunk
            self._ends = 1 + np.flatnonzero(np.frombuffer(self._data, np.uint8) == 10)

    def _check_line_length(self):
        if not self.num_waiting and len(self._data) > MAX_LINE_BYTES:
            raise ValueError(
                f"{self.stream.path}: line {self.num_lines + 1} is longer than "
                f"{MAX_LINE_BYTES >> 20} MiB: is this plain text, one sentence a line?"
            )

    def take(self, count):
        """The next ``count`` lines, as a block."""
        end = int(self._ends[count - 1])
        block, self._data = self._data[:end], self._data[end:]
        self._ends = self._ends[count:] - end
        self._taken += count
        # The search for one byte is several times as fast as that for two.
        return block.replace(b"\r\n", b"\n") if b"\r" in block else block

    def count_rest(self):
        """Lines of the whole stream; takes them all."""
        while True:
            self.fill()
            if not self.num_waiting:
                return self._taken
            self.take(self.num_waiting)


def _without_mark(stream):
    """The first bytes of a stream, a byte-order mark left out."""
    head = b""
    while len(head) < len(codecs.BOM_UTF8):  # a pipe may give one byte at a time
        chunk = stream.read(BLOCK_BYTES)
        if not chunk:
            break
        head += chunk
    return head[len(codecs.BOM_UTF8) :] if head.startswith(codecs.BOM_UTF8) else head


def _missing_end(data):
    """The end that the last line of a stream lacks (bytes)."""
    if not data or data.endswith(b"\n"):
        return b""
    # A lone \r at the very end is content: it gets an end that has one of its own.
    return b"\r\n" if data.endswith(b"\r") else b"\n"


def aligned_blocks(source, target):
    """Line i of one stream with line i of the other.

    Args:
        source, target (Stream)

    Yields:
        PairBlock

    Raises:
        ValueError: the streams have different numbers of lines, or one is damaged.
    """
    sides = _Side(source), _Side(target)
    while True:
        for side in sides:
            side.fill()
        count = min(side.num_waiting for side in sides)
        if not count:
            break
        yield PairBlock(*(side.take(count) for side in sides))
    counts = [side.count_rest() for side in sides]
    if counts[0] != counts[1]:
        raise ValueError(
            "the two sides of a pair must have as many lines as each other: "
            f"{source.path} has {counts[0]}, {target.path} has {counts[1]}; "
            "give the two files of one corpus, or download them again"
        )


def record_blocks(records):
    """Blocks of pairs that come one by one.

    Args:
        records (iterable): ``(source, target)`` in bytes, or None for a record that
            holds no pair. A line end within a side becomes a space.

    Yields:
        PairBlock
    """
    sources, targets, size, malformed = [], [], 0, 0
    for record in records:
        if record is None:
            malformed += 1
            continue
        source, target = (side.replace(b"\n", b" ") for side in record)
        sources.append(source)
        targets.append(target)
        size += len(source) + len(target)
        if size > BLOCK_BYTES:
            yield PairBlock(_join(sources), _join(targets), malformed)
            sources, targets, size, malformed = [], [], 0, 0
    if sources or malformed:
        yield PairBlock(_join(sources), _join(targets), malformed)


def _join(lines):
    return b"\n".join([*lines, b""])


def line_blocks(stream):
    """Blocks of the lines of one stream.

    Args:
        stream (Stream)

    Yields:
        bytes
    """
    side = _Side(stream)
    while True:
        side.fill()
        if not side.num_waiting:
            return
        yield side.take(side.num_waiting)
