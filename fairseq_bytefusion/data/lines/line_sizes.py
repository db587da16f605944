"""How many symbols the lines of a file have, where that is not their bytes."""

import logging
import time

import numpy as np

from .array_cache import (
    file_key,
    pack_int32,
    read_array,
    spilled,
    unpack_int32,
    write_array,
)

logger = logging.getLogger(__name__)

FORMAT_VERSION = 3
_SECONDS_BEFORE_NOTICE = 10


def line_sizes(path, num_lines, read_line, dictionary):
    """Ids of each line and ``<unk>`` in all of them: cached, else counted and cached.

    The cache is ``path + ".UNIT.npy"``, keyed by :func:`~.array_cache.file_key` of the
    text and by the content of the vocabulary, copies of which lie in many places.

    Args:
        path (str): a text file.
        num_lines (int): N.
        read_line (callable): the number of a line to its bytes.
        dictionary (TextDictionary): one that was read from a file.

    Returns:
        tuple: int32[N], ``</s>`` included, and int.
    """
    cache = f"{path}.{dictionary.unit}.npy"
    vocabulary = int.from_bytes(bytes.fromhex(dictionary.digest)[:8], "big", signed=True)
    key = [FORMAT_VERSION, *file_key(path), vocabulary]
    cached = read_array(cache, key)
    if cached is None or len(cached) != 1 + -(-num_lines // 2):
        num_unknown, sizes = _count(path, num_lines, read_line, dictionary)
        cached = write_array(cache, key, np.array([num_unknown]), pack_int32(sizes))
        if cached is None:
            return spilled(sizes), num_unknown
    return unpack_int32(cached[1:], num_lines), int(cached[0])


def _count(path, num_lines, read_line, dictionary):
    """int and int32[N]: unknown symbols of all lines, ids of each."""
    sizes, num_unknown = np.zeros(num_lines, np.int32), 0
    last_notice = time.monotonic()
    for i in range(num_lines):
        ids = dictionary.encode_line(read_line(i))
        sizes[i] = len(ids)
        num_unknown += int((ids == dictionary.unk()).sum())
        if time.monotonic() - last_notice > _SECONDS_BEFORE_NOTICE:
            last_notice = time.monotonic()
            logger.info(
                "%s: counting its %s, line %d of %d; the counts are kept for next time",
                path,
                dictionary.plural,
                i + 1,
                num_lines,
            )
    return num_unknown, sizes
