"""How many symbols the lines of a file have, where that is not their bytes."""

import logging
import time

import numpy as np

from .array_cache import file_key, read_array, write_array

logger = logging.getLogger(__name__)

FORMAT_VERSION = 1
_SECONDS_BEFORE_NOTICE = 10


def line_sizes(path, num_lines, read_line, dictionary):
    """Ids of each line and ``<unk>`` in all of them: cached, else counted and cached.

    The cache is ``path + ".UNIT.npy"``, keyed by size and modification time of the text
    and by the content of the vocabulary, copies of which lie in many places; see
    :mod:`.array_cache`.

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
    if cached is None or len(cached) != 1 + num_lines:
        cached = _count(path, num_lines, read_line, dictionary)
        write_array(cache, key, cached)
    return np.asarray(cached[1:], np.int32), int(cached[0])


def _count(path, num_lines, read_line, dictionary):
    """int64[1 + N]: unknown symbols, then ids of each line."""
    counts = np.zeros(1 + num_lines, np.int64)
    last_notice = time.monotonic()
    for i in range(num_lines):
        ids = dictionary.encode_line(read_line(i))
        counts[1 + i] = len(ids)
        counts[0] += int((ids == dictionary.unk()).sum())
        if time.monotonic() - last_notice > _SECONDS_BEFORE_NOTICE:
            last_notice = time.monotonic()
            logger.info(
                "%s: counting its %s, line %d of %d; the counts are kept for next time",
                path,
                dictionary.plural,
                i + 1,
                num_lines,
            )
    return counts
