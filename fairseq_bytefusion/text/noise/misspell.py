"""Single-character noise: what fingers do to words."""

import random

from .keyboards import neighbours

#: characters that ``punct`` inserts
PUNCTUATION = ".,'-!?"
#: words up to this length are left alone: little of them would be left
LONGEST_KEPT = 4


def mistype(word, position, rng):
    """A key beside the right one, on one of the keyboards that have the character; no
    change for a character on none."""
    layouts = neighbours(word[position])
    if not layouts:
        return word
    keys = layouts[rng.choice(list(layouts))]
    return _replaced(word, position, rng.choice(keys))


def repeat(word, position, rng):
    """The character twice."""
    return _replaced(word, position, 2 * word[position])


def swap(word, position, rng):
    """The character and the next one exchanged; the last with the one before."""
    first = min(position, len(word) - 2)
    return word[:first] + word[first + 1] + word[first] + word[first + 2 :]


def drop(word, position, rng):
    """The character left out."""
    return _replaced(word, position, "")


def toggle(word, position, rng):
    """Capital for small letter and the reverse; no change where there is no case."""
    return _replaced(word, position, word[position].swapcase())


def punct(word, position, rng):
    """A mark of ``PUNCTUATION`` before the character."""
    return word[:position] + rng.choice(PUNCTUATION) + word[position:]


#: name -> operation(word, position, rng) -> str
OPERATIONS = {
    "mistype": mistype,
    "repeat": repeat,
    "swap": swap,
    "drop": drop,
    "toggle": toggle,
    "punct": punct,
}


def _replaced(word, position, text):
    return word[:position] + text + word[position + 1 :]


def misspell(word, rng):
    """One operation at one position, both at random.

    Args:
        word (str): of at most ``LONGEST_KEPT`` characters it is returned as it is.
        rng (random.Random)

    Returns:
        str

    Source: Aguilar et al. 2021, *Char2Subword*, section 3.1 and table 1.
    """
    if len(word) <= LONGEST_KEPT:
        return word
    operation = OPERATIONS[rng.choice(sorted(OPERATIONS))]
    return operation(word, rng.randrange(len(word)), rng)


def misspell_entry(word, probability, *key):
    """``misspell`` with a probability, always the same for the same ``key``.

    Args:
        word (str)
        probability (float)
        key: seed, epoch, entry ...: whatever shall change the outcome. What other
            entries were asked for, and in which process, does not.

    Returns:
        str
    """
    rng = random.Random(repr(key))
    return misspell(word, rng) if rng.random() < probability else word
