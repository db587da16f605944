"""Where the lines of a text file are: found with numpy, cached beside the file."""

from dataclasses import dataclass

import numpy as np

from ...text.files import HEAD_BYTES, check_plain
from ...text.lines import MARK_BYTES, count_invalid_lines, mark_length
from .array_cache import (
    GrowingArray,
    file_key,
    pack_int32,
    read_array,
    spilled,
    unpack_int32,
    write_array,
)

CHUNK_BYTES = 1 << 18  # fits a cache; with larger ones copies dominate
CACHE_SUFFIX = ".lines.npy"
FORMAT_VERSION = 3
_LF, _CR = 10, 13


@dataclass
class LineIndex:
    """Line i of a file is its ``sizes[i] - 1`` bytes from ``starts[i]`` on, 0-based.

    ``\\n`` ends a line; one ``\\r`` before it and a byte-order mark at the start
    of the file belong to no line.

    Args:
        starts (int64[N])
        sizes (int32[N]): bytes of each line, and one for its ``</s>``.
        num_invalid (int): lines that are not UTF-8.
    """

    starts: np.ndarray
    sizes: np.ndarray
    num_invalid: int

    def __len__(self):
        return len(self.starts)


def open_line_index(path):
    """The index of ``path``: from its cache if that is fresh, else built and cached.

    The cache ``path + ".lines.npy"`` is memory-mapped, replaced atomically and
    keyed by what :func:`~.array_cache.file_key` knows of the file. Where it cannot be
    written (a read-only directory) the index is a temporary one.

    Args:
        path (str): a text file.

    Returns:
        LineIndex

    Raises:
        OSError: ``path`` cannot be read.
        ValueError: it is no plain UTF-8, see :func:`~...text.files.check_plain`.
    """
    key = [FORMAT_VERSION, *file_key(path)]
    cached = read_array(path + CACHE_SUFFIX, key)
    if cached is not None:
        try:
            return _unflatten(cached)
        except (IndexError, ValueError):
            pass  # cut short: it is built again
    index = build_line_index(path)
    numbers = np.array([index.num_invalid, len(index)])
    written = write_array(
        path + CACHE_SUFFIX, key, numbers, index.starts, pack_int32(index.sizes)
    )
    if written is not None:
        return _unflatten(written)
    return LineIndex(spilled(index.starts), spilled(index.sizes), index.num_invalid)


def _unflatten(flat):
    num_invalid, length = flat[:2].tolist()
    starts, sizes = np.split(flat[2:], [length])
    return LineIndex(starts, unpack_int32(sizes, length), num_invalid)


def build_line_index(path):
    """Scan ``path`` once, in chunks: the lines of :func:`~...text.lines.raw_lines`.

    Args:
        path (str): a text file.

    Returns:
        LineIndex

    Raises:
        OSError, ValueError: see :func:`open_line_index`.
    """
    sizes, num_invalid, start, has_cr, pending = GrowingArray(np.int32), 0, 0, False, []
    with open(path, "rb") as file:
        check_plain(file.read(HEAD_BYTES), path)
        file.seek(0)
        while chunk := file.read(CHUNK_BYTES):
            newlines = np.flatnonzero(np.frombuffer(chunk, np.uint8) == _LF)
            # A line and its end have as many bytes as a line and its </s> have ids.
            sizes.extend(np.diff(newlines, prepend=start - 1))
            has_cr = has_cr or b"\r" in chunk
            # UTF-8 is checked on whole lines, so that no character is cut.
            whole = int(newlines[-1]) + 1 if len(newlines) else 0
            if whole:
                num_invalid += count_invalid_lines(b"".join([*pending, chunk[:whole]]))
                pending, start = [], whole
            pending.append(chunk[whole:])
            start -= len(chunk)  # of the line that is open, relative to the next chunk
    rest = b"".join(pending)
    if rest:
        num_invalid += count_invalid_lines(rest)
        sizes.extend([len(rest) + 1])
    return LineIndex(*_trimmed(path, sizes.array, has_cr, bool(rest)), num_invalid)


def _trimmed(path, sizes, has_cr, last_is_open):
    """Starts and sizes of :class:`LineIndex`, without mark and ``\\r``.

    Args:
        path (str): the text.
        sizes (int32[N]): with both; is changed.
        has_cr (bool): whether there is any ``\\r``.
        last_is_open (bool): whether the last line has no ``\\n``.
    """
    starts = np.zeros(len(sizes), np.int64)
    starts[1:] = sizes[:-1]
    np.cumsum(starts, out=starts)  # twice as fast as from 32 to 64 bits
    if not len(sizes):
        return starts, sizes
    data = np.memmap(path, np.uint8, "r")
    mark = mark_length(bytes(data[:MARK_BYTES]))
    if mark == len(data):
        return starts[:0], sizes[:0]
    starts[0] += mark
    sizes[0] -= mark
    if has_cr:
        # A lone \r at the very end of the file has no \n behind it: it is content.
        ended = slice(0, len(sizes) - last_is_open)
        last_bytes = np.maximum(starts[ended] + sizes[ended] - 2, 0)
        sizes[ended] -= (sizes[ended] > 1) & (data[last_bytes] == _CR)
    return starts, sizes
