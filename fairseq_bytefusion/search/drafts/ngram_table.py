"""Which symbol most often follows the last few: counts of n-grams, hashed."""

import numpy as np

#: places of a table, each 4 bytes of a hash and 4 of a symbol: 64 MiB at most
SMALLEST_TABLE, LARGEST_TABLE = 1 << 12, 1 << 23
#: places that have one address
WAYS = 4
#: bits of a hash that give way to a symbol while contexts are counted
SYMBOL_BITS = 20
_BASE, _MULTIPLIER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


class NgramTable:
    """For each context that was seen, the symbol that followed it most often.

    Contexts are known by their hash: its upper bits say the address, 32 bits below are
    compared. Where more contexts have an address than there is room for, the shorter ones
    stay, and of equally long ones those with more occurrences.

    Args:
        order (int): n; contexts have at most n - 1 symbols.
        marks (uint32[P, WAYS]), symbols (int32[P, WAYS]): P a power of two; ``symbols`` is
            -1 where nothing is.
    """

    def __init__(self, order, marks, symbols):
        self.order, self.marks, self.symbols = order, marks, symbols
        self._lengths = np.arange(1, order, dtype=np.uint64)
        self._powers = np.cumprod(np.append(np.uint64(1), np.repeat(_BASE, order - 2)))

    @property
    def num_contexts(self):
        """int: how many contexts have a place."""
        return int((self.symbols >= 0).sum())

    @classmethod
    def count(cls, order, text, boundary):
        """Of a text.

        Args:
            order (int): n, at least 2.
            text (int array [N]): sentences, each with ``boundary`` behind it, which is
                also what the search begins with.
            boundary (int)

        Returns:
            NgramTable
        """
        text = np.concatenate([[boundary], text]).astype(np.uint64)
        begins = np.where(text == np.uint64(boundary), np.arange(len(text)), 0)
        # How many symbols of its own sentence lie before each, its beginning among them.
        before = np.arange(1, len(text)) - np.maximum.accumulate(begins)[:-1]
        found, mixed = [], _mixed(text)
        sums, power = np.zeros(len(text) - 1, np.uint64), np.ones(1, np.uint64)
        for length in range(1, order):
            sums = sums[length > 1 :] + mixed[: len(text) - length] * power
            power *= _BASE
            has = before[length - 1 :] >= length
            if has.any():
                hashes = _finished(sums[has], np.uint64(length))
                # What was seen once foresees worse than a shorter context.
                found.append(_most_frequent(hashes, text[length:][has], 1 + (length > 1)))
        return cls._of_contexts(order, *(np.concatenate(parts) for parts in zip(*found)))

    @classmethod
    def _of_contexts(cls, order, keys, symbols):
        """Of hashes uint64[K] and symbols int32[K], the most important contexts first."""
        size = SMALLEST_TABLE
        while size < min(LARGEST_TABLE, 2 * len(keys)):
            size *= 2
        shape = size // WAYS, WAYS
        table = cls(order, np.zeros(shape, np.uint32), np.full(shape, -1, np.int32))
        places, marks = table._where(keys)
        by_place = np.argsort(places, kind="stable")
        places, marks, symbols = places[by_place], marks[by_place], symbols[by_place]
        starts = np.flatnonzero(np.append(True, places[1:] != places[:-1]))
        counts = np.diff(np.append(starts, len(places)))
        way = np.arange(len(places)) - np.repeat(starts, counts)
        fits = way < WAYS
        table.marks[places[fits], way[fits]] = marks[fits]
        table.symbols[places[fits], way[fits]] = symbols[fits]
        return table

    def after(self, history):
        """What most often followed the longest context that was seen.

        Args:
            history (int64[B, M]): the last symbols, the newest last; -1 before the first.

        Returns:
            int64[B]: a symbol; -1 where not even the last symbol was seen.
        """
        longest = min(self.order - 1, history.shape[1])
        recent = history[:, ::-1][:, :longest]
        sums = (_mixed(recent.astype(np.uint64)) * self._powers[:longest]).cumsum(1)
        places, marks = self._where(_finished(sums, self._lengths[:longest]))
        symbols = self.symbols[places]
        fits = (self.marks[places] == marks[..., None]) & (symbols >= 0)
        is_seen = fits.any(2) & (recent >= 0)
        rows, best = np.arange(len(history)), longest - 1 - is_seen[:, ::-1].argmax(1)
        found = symbols[rows, best, fits[rows, best].argmax(1)]
        return np.where(is_seen[rows, best], found, -1)

    def _where(self, hashes):
        """Places int64[N], and what marks them uint32[N], of hashes uint64[N]."""
        bits = len(self.marks).bit_length() - 1
        # A shift by all 64 bits is not one.
        places = (hashes >> np.uint64(63 - bits)) >> np.uint64(1)
        return places.astype(np.int64), (hashes >> np.uint64(SYMBOL_BITS)).astype(np.uint32)


def _mixed(symbols):
    """A number (uint64) for each symbol (uint64)."""
    value = (symbols + np.uint64(1)) * _MULTIPLIER
    return value ^ (value >> np.uint64(31))


def _finished(sums, lengths):
    """Hashes (uint64) of contexts: of sums of their symbols' numbers, each times a power,
    and of their lengths."""
    value = (sums ^ (sums >> np.uint64(32)) ^ lengths) * _MULTIPLIER
    value ^= value >> np.uint64(29)
    value *= _BASE
    return value ^ (value >> np.uint64(32))


def _most_frequent(hashes, nexts, at_least):
    """The symbol that followed each context most often, of several the lowest.

    Args:
        hashes (uint64[N]), nexts (uint64[N]): of contexts, and what followed.
        at_least (int): how often a context must have been seen.

    Returns:
        tuple: uint64[K] hashes without their lowest bits, and symbols int32[K]; the most
        frequent contexts first.
    """
    # Sorting one array of numbers is many times faster than sorting pairs: the symbol
    # takes the place of the hash's lowest bits.
    low = np.uint64((1 << SYMBOL_BITS) - 1)
    pairs = np.sort((hashes & ~low) | nexts)
    starts = np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]]))
    counts = np.diff(np.append(starts, len(pairs)))
    pairs = pairs[starts]
    keys = pairs & ~low
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    # Of each context the largest number: by count, then by how low the symbol is.
    ranks = (counts.astype(np.uint64) << np.uint64(SYMBOL_BITS)) | (low - (pairs & low))
    best = np.maximum.reduceat(ranks, starts)
    seen = np.add.reduceat(counts, starts)
    order = np.argsort(-seen, kind="stable")[: (seen >= at_least).sum()]
    return keys[starts][order], (low - (best & low)).astype(np.int32)[order]
