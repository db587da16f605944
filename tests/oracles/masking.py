"""Masking of characters, one symbol at a time."""

import numpy as np


def corrupt(ids, chosen, mask, random_ids, shares, rng):
    """As ``data.masking.corrupt``."""
    draws = [float(x) for x in rng.random(len(ids))]
    others = list(rng.choice(random_ids, len(ids)))
    found = []
    for symbol, is_chosen, draw, other in zip(ids, chosen, draws, others):
        if not is_chosen:
            found.append(symbol)
        elif draw < shares[0]:
            found.append(mask)
        elif draw < shares[0] + shares[1]:
            found.append(other)
        else:
            found.append(symbol)
    return np.array(found)
