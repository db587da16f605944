"""Which pieces are predicted, and what becomes of their characters."""

import numpy as np

from ..masking import corrupt

LEVELS = ("character", "piece")

_KEPT, _MASKED, _REPLACED = range(3)


def draw_share(possible, share, rng):
    """Draw some of what is possible, at least one, on average ``share`` of it.

    Args:
        possible (bool[N]): one at least.
        share (float)
        rng (numpy.random.Generator)

    Returns:
        bool[N]
    """
    places = np.flatnonzero(possible)
    count = max(1, int(share * len(places) + rng.random()))
    chosen = np.zeros(len(possible), bool)
    chosen[rng.choice(places, count, replace=False)] = True
    return chosen


def corrupt_words(words, chosen, level, mask, alphabet, rng):
    """Mask, replace or keep the characters of the words that are chosen.

    Args:
        words (list of int64[C])
        chosen (bool[N])
        level (str): whether that is drawn for each ``character`` or each ``piece``.
        mask (int)
        alphabet (int64[M]): what replaces characters.
        rng (numpy.random.Generator)

    Returns:
        list of int64[C]
    """
    lengths = [len(word) for word in words]
    ids, of_chosen = np.concatenate(words), np.repeat(chosen, lengths)
    if level == "character":
        ids = corrupt(ids, of_chosen, mask, alphabet, rng=rng)
    else:
        fates = np.full(len(words), _KEPT)
        fates = corrupt(fates, chosen, _MASKED, np.array([_REPLACED]), rng=rng)
        fates = np.repeat(fates, lengths)
        ids = corrupt(ids, fates == _MASKED, mask, alphabet, (1, 0, 0), rng=rng)
        ids = corrupt(ids, fates == _REPLACED, mask, alphabet, (0, 1, 0), rng=rng)
    return np.split(ids, np.cumsum(lengths)[:-1])
