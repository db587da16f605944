"""How often the sentences of each pair are seen in an epoch of many-to-one training."""

import numpy as np


def draw_counts(sizes, temperature):
    """Sentences of each pair in an epoch, which has as many as all pairs together.

    Pair i has a share p_i of them, proportional to ``n_i ** (1 / temperature)``, but at
    least one: with sizes 1000 and 10 and temperature 5, 0.715 and 0.285.

    Args:
        sizes (sequence of int): n_i, at least 1.
        temperature (float): 1 keeps the sizes, a higher one makes them more alike.

    Returns:
        int64[P]: ``round(p_i * sum(n))``.

    Raises:
        ValueError: a temperature that is not above 0.

    Source: Arivazhagan et al. 2019, *Massively Multilingual Neural Machine Translation in
    the Wild*, section 4.2.
    """
    if not temperature > 0:
        raise ValueError(f"a sampling temperature must be above 0, not {temperature:g}")
    # Relative to the largest, so that no power overflows.
    logs = np.log(np.asarray(sizes, np.float64))
    weights = np.exp((logs - logs.max()) / temperature)
    counts = np.rint(weights / weights.sum() * np.sum(sizes)).astype(np.int64)
    return np.maximum(counts, 1)


def draw_epoch(sizes, temperature, seed, epoch):
    """What an epoch consists of: the same for a seed and an epoch, wherever it is asked.

    A pair is gone through as often as it fits into its share; the rest is drawn from it
    at random, no sentence twice.

    Args:
        sizes (sequence of int): n_i sentences of each pair.
        temperature (float): see :func:`draw_counts`.
        seed, epoch (int): not negative.

    Returns:
        int64[N]: sentences of all pairs, pair by pair numbered consecutively, in random
        order.

    Raises:
        ValueError: see :func:`draw_counts`.
    """
    random = np.random.default_rng([seed, epoch])
    drawn, start = [], 0
    for size, count in zip(sizes, draw_counts(sizes, temperature)):
        passes, rest = divmod(int(count), size)
        drawn.append(np.tile(np.arange(start, start + size), passes))
        drawn.append(start + random.permutation(size)[:rest])
        start += size
    return random.permutation(np.concatenate(drawn))
