"""Lines of a text block as numpy arrays: where they are, and a 64-bit hash of each.

A *block* is ``bytes`` of whole lines, each ended by ``\\n``. Nothing here loops over
lines in Python.
"""

from dataclasses import dataclass

import numpy as np

_WORD = 8  # bytes hashed at a time
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MUL1 = np.uint64(0xBF58476D1CE4E5B9)
_MUL2 = np.uint64(0x94D049BB133111EB)
# _TAIL[n] keeps the first n bytes of a little-endian word.
_TAIL = np.array([(1 << 8 * n) - 1 for n in range(_WORD + 1)], np.uint64)


@dataclass
class Lines:
    """Line i of ``block`` is its bytes ``[starts[i], starts[i] + lengths[i])``.

    ``starts``, ``lengths``: int64[N], in bytes, the ``\\n`` not counted.
    """

    block: bytes
    starts: np.ndarray
    lengths: np.ndarray

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, index):
        start = int(self.starts[index])
        return self.block[start : start + int(self.lengths[index])]


def find_lines(block):
    """The lines of ``block`` (bytes that are empty or end with ``\\n``).

    Returns:
        Lines
    """
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    return Lines(block, starts, ends - starts)


def select_lines(lines, keep):
    """The chosen lines, as a block.

    Args:
        lines (Lines): N lines that fill their block.
        keep (bool[N])

    Returns:
        bytes
    """
    if keep.all():
        return lines.block
    # A slice for each run of kept lines: most lines are kept, so runs are few.
    edges = np.flatnonzero(np.diff(keep, prepend=False, append=False))
    bounds = np.append(lines.starts, len(lines.block))[edges].tolist()
    view = memoryview(lines.block)
    return b"".join([view[a:b] for a, b in zip(bounds[::2], bounds[1::2])])


def mix(values):
    """The finaliser of splitmix64 on uint64[N]: a bijection that scatters its input."""
    values = (values ^ (values >> np.uint64(30))) * _MUL1
    values = (values ^ (values >> np.uint64(27))) * _MUL2
    return values ^ (values >> np.uint64(31))


def hash_lines(lines, chosen=None):
    """A 64-bit hash of each line: equal for equal lines, on every machine.

    The sum of its 8-byte words, each mixed with its place in the line, mixed with
    the line's length.

    Args:
        lines (Lines)
        chosen (bool[N], optional): hash these lines only.

    Returns:
        uint64[M]: M = number of chosen lines, in order.
    """
    starts, lengths = lines.starts, lines.lengths
    if chosen is not None:
        starts, lengths = starts[chosen], lengths[chosen]
    if not len(starts):
        return np.empty(0, np.uint64)
    counts = np.maximum((lengths + _WORD - 1) // _WORD, 1)  # words of each line
    past = np.cumsum(counts)
    first = past - counts
    index = np.arange(past[-1])
    words = _words_at(
        lines.block, np.repeat(starts - _WORD * first, counts) + _WORD * index
    )
    words[past - 1] &= _TAIL[lengths - _WORD * (counts - 1)]
    places = (index - np.repeat(first, counts)).astype(np.uint64)
    sums = np.add.reduceat(mix(words + places * _STEP), first)
    return mix(sums + lengths.astype(np.uint64) * _STEP)


def _words_at(block, offsets):
    """uint64[M]: the 8 bytes at each offset (int64[M]), zeros behind the block."""
    padded = block + bytes(_WORD)
    # Overlapping words: one starts at every byte.
    words = np.ndarray(len(block) + 1, "<u8", padded, strides=(1,))
    return words[offsets].astype(np.uint64, copy=False)


def hash_pairs(source, target):
    """uint64[N]: a hash of each pair from those of its sides (uint64[N])."""
    return mix(source + mix(target ^ _STEP))


def priorities(hashes, seed):
    """uint64[N]: a random order of hashes, the same for the same seed (int)."""
    key = mix(np.array([seed % 2**64], np.uint64) * _STEP + _STEP)
    return mix(hashes ^ key)


class HashSet:
    """A set of 64-bit hashes in one numpy table with open addressing.

    At most 60 % of the table is used and it doubles when full: 13 to 27 bytes a
    member, 40 while it doubles. Two different pairs of n share a hash with a
    probability of about n²/2^65: 0.03 % for 100 million pairs.
    """

    _MAX_LOAD = 0.6

    def __init__(self, capacity=1 << 16):
        self._table = np.zeros(capacity, np.uint64)  # 0 = free; a power of two long
        self._size = 0

    def __len__(self):
        return self._size

    def add(self, hashes):
        """Add hashes (uint64[N]).

        Returns:
            bool[N]: which were new; of equal ones the first.
        """
        keys, first = np.unique(hashes, return_index=True)
        while self._size + len(keys) > self._MAX_LOAD * len(self._table):
            self._grow()
        is_new = np.zeros(len(hashes), bool)
        is_new[first] = self._insert(keys)
        return is_new

    def _grow(self):
        old = self._table
        self._table, self._size = np.zeros(2 * len(old), np.uint64), 0
        for part in np.array_split(old, max(len(old) >> 15, 1)):  # small temporaries
            self._insert(part[part != 0])

    def _insert(self, keys):
        """Insert distinct keys (uint64[N]); bool[N]: which were new."""
        keys = np.maximum(keys, np.uint64(1))  # 0 marks a free slot
        mask = len(self._table) - 1
        slots = (keys & np.uint64(mask)).astype(np.int64)
        is_new = np.zeros(len(keys), bool)
        pending = np.arange(len(keys))
        while len(pending):
            slot, key = slots[pending], keys[pending]
            free = self._table[slot] == 0
            # Of several keys that claim one free slot, one wins; the others go on.
            self._table[slot[free]] = key[free]
            there = self._table[slot] == key
            is_new[pending[free & there]] = True
            pending = pending[~there]
            slots[pending] = (slots[pending] + 1) & mask
        self._size += int(is_new.sum())
        return is_new


def contains(members, hashes):
    """bool[N]: which of ``hashes`` (uint64[N]) are in ``members`` (sorted uint64[M])."""
    if not len(members):
        return np.zeros(len(hashes), bool)
    places = np.searchsorted(members, hashes)
    return members[np.minimum(places, len(members) - 1)] == hashes
