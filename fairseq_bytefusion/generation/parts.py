"""What of a long sentence is translated at a time."""

import re
from dataclasses import dataclass

# A mark at the end of a sentence, and what may close behind it. Scripts that write no
# spaces need none behind a mark of their own.
_CLOSING = "[\"'”’»)\\]）」』]*"
_SENTENCE_END = re.compile(f"[.!?…؟۔।॥։።]{_CLOSING}(?=\\s)|[。！？｡]{_CLOSING}")
_WORD_END = re.compile(r"(?<!\s)(?=\s)|^(?=\s)")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True)
class Part:
    """A part of a sentence, or all of it.

    Args:
        line (int): which sentence it is of.
        text (str)
        space (str): white space between the part before and this one.
    """

    line: int
    text: str
    space: str = ""


def parts_of(line, text, fits):
    """A sentence in as few parts as go through the model.

    Each part ends with a sentence where one ends in it, or else before white space, or
    else behind a character: all that fits of what is left up to there.

    Args:
        line (int): its number.
        text (str)
        fits (callable): whether a text (str) is short enough.

    Returns:
        list of Part: texts and the white space between them are ``text``.
    """
    parts, space = [], ""
    while len(text) > 1 and not fits(text):
        end, behind = _cut(text, _fitting(text, fits))
        parts.append(Part(line, text[:end], space))
        text, space = text[behind:], text[end:behind]
    return [*parts, Part(line, text, space)]


def _fitting(text, fits):
    """int: the most characters of ``text`` that fit, at least one."""
    low, high = 1, 2
    while high < len(text) and fits(text[:high]):
        low, high = high, 2 * high
    high = min(high, len(text))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(text[:middle]) else (low, middle)
    return low


def _cut(text, most):
    """Where a part of at most ``most`` characters ends, and where the next one begins."""
    for pattern in (_SENTENCE_END, _WORD_END):
        found = pattern.finditer(text, 0, most + 1)
        ends = [match.end() for match in found if match.end() <= most]
        if ends:
            return ends[-1], _SPACE.match(text, ends[-1]).end()
    return most, most
