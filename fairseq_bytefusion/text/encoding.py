"""The encoding of a text, by its first bytes; only the standard library is needed."""

import codecs
import functools
import re
import unicodedata

#: how much of a text :func:`encoding_of` looks at
HEAD_BYTES = 1 << 20

# Longest first: the mark of UTF-32-LE begins with that of UTF-16-LE.
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32-LE"),
    (codecs.BOM_UTF32_BE, "UTF-32-BE"),
    (codecs.BOM_UTF16_LE, "UTF-16-LE"),
    (codecs.BOM_UTF16_BE, "UTF-16-BE"),
)
_CONTROLS = bytes(range(32))
# Not in a text: controls, halves of pairs, what is no character.
_NO_TEXT = {"Cc", "Cn", "Co", "Cs"}


def encoding_of(head):
    """The encoding of a text of 16 or 32 bits a symbol; every reader asks here.

    Without a byte-order mark it is one where every ``\\n`` byte of the head is part of a
    newline so wide, on the same side; in a head without newlines, or with one alone in
    what is UTF-8 as well, every space; in one without these, where every symbol is ASCII.
    A byte ``\\n`` may be half of another symbol, such as U+4E0A or any of Gujarati: it is
    one, too, where all symbols are text then, and many are not in UTF-8. A text with some
    NULs stays text.

    Args:
        head (bytes): the first ``HEAD_BYTES`` of a text, or what there is of it.

    Returns:
        tuple: str such as ``UTF-16-LE``, and the bytes of its mark (int, 0: it has none);
        None for any other text.
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name, len(mark)
    if b"\0" not in head:
        return None
    names = [name for _, name in _MARKS]
    is_utf8 = _is_utf8(head)
    found = [name for name in names if _is_wide(head, name, is_utf8)]
    # Alphabets are half of controls: each letter of Hindi is a tab and something.
    if not is_utf8 or len(head.translate(None, _CONTROLS)) < 0.75 * len(head):
        found += filter(functools.partial(_is_text, head), names)
    return (found[0], 0) if found else None


def _is_wide(head, name, is_utf8):
    """Whether all newlines, or else spaces, of a head are those of a wide encoding."""
    width = int(name[4:6]) // 8
    place = 0 if name.endswith("LE") else width - 1  # of the byte that ASCII has
    for byte in (b"\n", b" "):
        found = [match.start() - place for match in re.finditer(re.escape(byte), head)]
        symbol = byte.rjust(place + 1, b"\0").ljust(width, b"\0")
        if any(i < 0 or i % width or head[i : i + width] != symbol for i in found):
            return False
        # In UTF-8 a NUL may stand beside one newline by chance.
        if found and (byte == b" " or len(found) > 1 or not is_utf8):
            return True
    columns = [head[i::width] for i in range(width)]
    symbols = columns.pop(place)
    whole = not len(head) % width and b"\0" not in symbols
    return whole and not any(column.strip(b"\0") for column in columns)


def _is_utf8(head):
    try:
        codecs.utf_8_decode(head, "strict", False)
    except UnicodeDecodeError:
        return False
    return True


def _is_text(head, name):
    """Whether a head makes sense in an encoding, and has more than one word or line."""
    try:
        text = codecs.getincrementaldecoder(name)().decode(head)
    except UnicodeDecodeError:
        return False
    symbols = set(text).difference("\t\n\r")
    return text.count("\n") + text.count(" ") > 1 and _NO_TEXT.isdisjoint(
        map(unicodedata.category, symbols)
    )
