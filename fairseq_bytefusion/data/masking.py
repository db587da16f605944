"""Symbols that are masked, replaced or kept, for a model to find out what they were."""

import numpy as np

#: what becomes of a chosen symbol: masked, another one, itself (Devlin et al. 2019)
SHARES = (0.8, 0.1, 0.1)


def corrupt(ids, chosen, mask, random_ids, shares=SHARES, *, rng):
    """Mask, replace or keep each chosen symbol; drawn symbol by symbol.

    Args:
        ids (int64[N])
        chosen (bool[N])
        mask (int): the symbol that masks.
        random_ids (int64[M]): what replaces one, each as likely as the others.
        shares (tuple of float): of masked, replaced and kept ones; they add up to 1.
        rng (numpy.random.Generator): ``default_rng((seed, epoch, index))``, so that what
            becomes of a sentence depends on nothing but its epoch.

    Returns:
        int64[N]

    Source: Devlin et al. 2019, section 3.1.
    """
    masked, replaced, _ = shares
    draw = rng.random(len(ids))
    others = rng.choice(random_ids, len(ids))
    result = np.where(chosen & (draw < masked), mask, ids)
    is_replaced = chosen & (draw >= masked) & (draw < masked + replaced)
    return np.where(is_replaced, others, result)
