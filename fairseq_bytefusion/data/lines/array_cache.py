"""Arrays that were computed from a file, kept on disk rather than in memory."""

import hashlib
import logging
import os
import tempfile

import numpy as np

logger = logging.getLogger(__name__)

#: Arrays of fewer bytes are as well in memory as in a file.
MIN_SPILLED_BYTES = 1 << 20

_NUM_SAMPLES, _SAMPLED_BYTES = 64, 4096


class GrowingArray:
    """An array that is filled part by part.

    Memory for a list of parts would stay with the process for good: they are small, so
    that the C library takes it from its heap, and gives it back only where all around it
    is free too.

    Args:
        dtype (numpy.dtype)
    """

    def __init__(self, dtype):
        self._room, self._length = np.empty(1 << 16, dtype), 0

    def extend(self, part):
        """Append an array[M], cast to the dtype."""
        end = self._length + len(part)
        if end > len(self._room):
            self._room.resize(max(end, 2 * len(self._room)), refcheck=False)
        self._room[self._length : end] = part
        self._length = end

    @property
    def array(self):
        """array[N]: what there is so far; nothing may be appended while it is in use."""
        return self._room[: self._length]


def file_key(path):
    """What tells a file from another one, and from itself after a change.

    Args:
        path (str)

    Returns:
        list of int: size, modification and status change time (ns), inode, and a hash of
        blocks all over it, which shows a change even where copying or restoring a file
        sets the others back. A fixed number of blocks is read, however large it is.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb") as file:
        stat = os.fstat(file.fileno())
        digest = hashlib.blake2b(digest_size=8)
        last = max(stat.st_size - _SAMPLED_BYTES, 0)
        for i in range(_NUM_SAMPLES):
            file.seek(last * i // (_NUM_SAMPLES - 1))
            digest.update(file.read(_SAMPLED_BYTES))
    numbers = stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
    return [*numbers, _signed(stat.st_ino.to_bytes(8, "big")), _signed(digest.digest())]


def _signed(raw):
    return int.from_bytes(raw, "big", signed=True)


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


def write_array(path, key, *parts):
    """Write an array, or log that it is not kept.

    The file is replaced atomically. A directory that cannot be written to is no error.

    Args:
        path (str): of the cache.
        key (list of int): what the array was computed from.
        *parts (int64[N_i]): the array's, in order; not joined in memory.

    Returns:
        int64[N], memory-mapped; None where it could not be written.
    """
    folder, name = os.path.split(path)
    parts, temporary = [np.array(key, np.int64), *parts], None
    header = {"descr": "<i8", "fortran_order": False, "shape": (sum(map(len, parts)),)}
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder or ".")
        with os.fdopen(handle, "wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
            file.writelines(part.astype("<i8", copy=False).data for part in parts)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        logger.info("%s is not kept: %s", path, error)
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        return None
    return read_array(path, key)


def pack_int32(array):
    """int64[ceil(N / 2)] of the same bits as an int32[N], for :func:`write_array`."""
    return np.append(array, np.zeros(len(array) % 2, np.int32)).view(np.int64)


def unpack_int32(packed, length):
    """The int32[N] that :func:`pack_int32` was given; not a copy of it.

    Raises:
        ValueError: ``packed`` is not of so many.
    """
    if len(packed) != -(-length // 2):
        raise ValueError(f"{len(packed)} packed pairs do not hold {length} numbers")
    return packed.view(np.int32)[:length]


def spilled(array):
    """A large array moved from memory into a file that is gone when the process is.

    Its pages are in memory while they are used, as those of any mapped file.

    Args:
        array (array[N]): one that nothing writes into any more.

    Returns:
        array[N]: read-only, or the array itself if it is small, lies in a file already or
        finds no room in the system's temporary directory (which is logged).
    """
    if array.nbytes < MIN_SPILLED_BYTES or _is_mapped(array):
        return array
    try:
        with tempfile.TemporaryFile() as file:
            array.tofile(file)
            mapped = np.memmap(file, array.dtype, "r", shape=array.shape)
    except OSError as error:
        logger.info("%d bytes are kept in memory: %s", array.nbytes, error)
        return array
    return mapped.view(np.ndarray)  # slices of a memmap are larger objects than arrays


def _is_mapped(array):
    while array is not None:
        if isinstance(array, np.memmap):
            return True
        array = getattr(array, "base", None)
    return False
