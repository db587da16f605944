"""Arrays that were computed from a file, kept beside it."""

import logging
import os
import tempfile

import numpy as np

logger = logging.getLogger(__name__)


def file_key(path):
    """list of int: size and modification time (ns) of a file.

    Raises:
        OSError: there is none.
    """
    stat = os.stat(path)
    return [stat.st_size, stat.st_mtime_ns]


def read_array(path, key):
    """What :func:`write_array` wrote, memory-mapped.

    Args:
        path (str): of the cache.
        key (list of int)

    Returns:
        int64[N], or None where there is no cache with this key.
    """
    try:
        cached = np.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError):
        return None  # absent, unreadable, or cut short: it is built again
    if cached.dtype != np.int64 or cached.ndim != 1 or cached[: len(key)].tolist() != key:
        return None
    return cached[len(key) :]


def write_array(path, key, array):
    """Write ``array`` (int64[N]), or log that it is kept in memory only.

    The file is replaced atomically. A directory that cannot be written to is no error.

    Args:
        path (str): of the cache.
        key (list of int): what the array was computed from.
        array (int64[N])
    """
    folder, name = os.path.split(path)
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder or ".")
        with os.fdopen(handle, "wb") as file:
            np.save(file, np.concatenate([np.array(key, np.int64), array]))
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        logger.info("%s is kept in memory only: %s", path, error)
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
