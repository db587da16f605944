"""Names of characters in a fairseq dictionary file, one symbol a line.

A space is written as ``▁``, as SentencePiece does. ``▁`` itself and every character that
cannot be seen (other spaces, line ends, controls, private use) is written as its code
point, ``<U+2581>``. Every other symbol is the character. No two characters share a name,
and none contains a space or a line end, so that :func:`char_of` undoes :func:`symbol_of`.
"""

import re

SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
_CODE = re.compile(r"<U\+([0-9A-F]{4,6})>")


def symbol_of(char):
    """The name of a character (str of length 1) in a dictionary file."""
    if char == " ":
        return SPACE
    if char == SPACE or not char.isprintable():
        return f"<U+{ord(char):04X}>"
    return char


def char_of(symbol):
    """The character a symbol names; None for one that names none (``<pad>``, ``ab``)."""
    if symbol == SPACE:
        return " "
    match = _CODE.fullmatch(symbol)
    if match:
        code = int(match[1], 16)
        is_character = code < 0xD800 or 0xE000 <= code < 0x110000  # no surrogate
        return chr(code) if is_character else None
    return symbol if len(symbol) == 1 else None
