"""Where the lines of a text file are: found with numpy, cached beside the file."""

import codecs
from dataclasses import dataclass

import numpy as np

from .array_cache import file_key, pack_int32, read_array, unpack_int32, write_array

CHUNK_BYTES = 1 << 18  # fits a cache; with larger ones copies dominate
CACHE_SUFFIX = ".lines.npy"
FORMAT_VERSION = 2
_LF, _CR = 10, 13


@dataclass
class LineIndex:
    """Line i of a file is its bytes ``[starts[i], ends[i])``, 0-based.

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

    @property
    def ends(self):
        """int64[N]"""
        return self.starts + self.sizes - 1


def open_line_index(path):
    """The index of ``path``: from its cache if that is fresh, else built and cached.

    The cache ``path + ".lines.npy"`` is memory-mapped, replaced atomically and
    keyed by the file's size and modification time. Where it cannot be written
    (a read-only directory) the index lives in memory.

    Args:
        path (str): a text file.

    Returns:
        LineIndex

    Raises:
        OSError: ``path`` cannot be read.
    """
    key = [FORMAT_VERSION, *file_key(path)]
    cached = read_array(path + CACHE_SUFFIX, key)
    if cached is not None:
        try:
            return _unflatten(cached)
        except (IndexError, ValueError):
            pass  # cut short: it is built again
    flat = _flatten(build_line_index(path))
    return _unflatten(write_array(path + CACHE_SUFFIX, key, flat))


def _flatten(index):
    """int64[2 + N + ceil(N / 2)]: two numbers, starts, sizes."""
    numbers = [index.num_invalid, len(index)]
    return np.concatenate([numbers, index.starts, pack_int32(index.sizes)])


def _unflatten(flat):
    num_invalid, length = flat[:2].tolist()
    starts, sizes = np.split(flat[2:], [length])
    return LineIndex(starts, unpack_int32(sizes, length), num_invalid)


def build_line_index(path):
    """Scan ``path`` once, in chunks.

    Args:
        path (str): a text file.

    Returns:
        LineIndex
    """
    newlines, num_invalid, size, pending = [], 0, 0, []
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            positions = np.flatnonzero(np.frombuffer(chunk, np.uint8) == _LF)
            newlines.append(positions + size)
            size += len(chunk)
            # UTF-8 is checked on whole lines, so that no character is cut.
            whole = int(positions[-1]) + 1 if len(positions) else 0
            if whole:
                num_invalid += count_invalid_lines(b"".join([*pending, chunk[:whole]]))
                pending = []
            pending.append(chunk[whole:])
    num_invalid += count_invalid_lines(b"".join(pending))
    newlines = np.concatenate(newlines) if newlines else np.empty(0, np.int64)
    starts, ends = _line_bounds(path, newlines, size)
    return LineIndex(starts, (ends - starts + 1).astype(np.int32), num_invalid)


def _line_bounds(path, newlines, size):
    if size == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    data = np.memmap(path, np.uint8, "r")
    ends = newlines if data[-1] == _LF else np.append(newlines, size)
    starts = np.append(0, ends[:-1] + 1)
    if bytes(data[:3]) == codecs.BOM_UTF8:
        if size == len(codecs.BOM_UTF8):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        starts[0] = len(codecs.BOM_UTF8)
    # A lone \r at the very end of the file has no \n behind it: it is content.
    has_lf = ends < size
    ends = ends - (has_lf & (ends > starts) & (data[np.maximum(ends - 1, 0)] == _CR))
    return starts, ends


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
