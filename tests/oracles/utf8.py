"""Well-formed UTF-8 as Python's decoder sees it."""

from itertools import product


def is_valid(raw):
    """Whether ``raw`` (bytes) is UTF-8."""
    try:
        raw.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return False
    return True


def can_go_on(raw):
    """Whether ``raw`` (bytes) is UTF-8, or becomes so with up to three more bytes."""
    return any(
        is_valid(raw + bytes(tail))
        for length in range(4)
        for tail in product((0x80, 0xBF), repeat=length)
    )
