"""Keyboard layouts: which keys a finger may hit instead of the right one."""

# Three rows of letter keys from the left, a key a column, "_" where there is no letter.
# Scripts with a shift level of their own have two entries; case is not one.
LAYOUTS = {
    "qwerty": ("q w e r t y u i o p", "a s d f g h j k l", "z x c v b n m"),
    "azerty": ("a z e r t y u i o p", "q s d f g h j k l m", "w x c v b n"),
    "qwertz": ("q w e r t z u i o p ü", "a s d f g h j k l ö ä", "y x c v b n m"),
    "russian": (
        "й ц у к е н г ш щ з х ъ",
        "ф ы в а п р о л д ж э",
        "я ч с м и т ь б ю",
    ),
    "arabic": (
        "ض ص ث ق ف غ ع ه خ ح ج د",
        "ش س ي ب ل ا ت ن م ك ط",
        "ئ ء ؤ ر _ ى ة و ز ظ",
    ),
    "inscript": (
        "ौ ै ा ी ू ब ह ग द ज ड ़",
        "ो े ् ि ु प र क त च ट",
        "_ ं म न व ल स _ _ य",
    ),
    "inscript shifted": (
        "औ ऐ आ ई ऊ भ ङ घ ध झ ढ ञ",
        "ओ ए अ इ उ फ ऱ ख थ छ ठ",
        "_ ँ ण ऩ ऴ ळ श ष",
    ),
}
# How far right of the keys above a row begins, in keys.
_OFFSETS = (0.0, 0.25, 0.75)


def _neighbours_on(rows):
    """dict of a key to the keys that touch it, as one str."""
    places = {
        key: (column + offset, row)
        for row, (keys, offset) in enumerate(zip(rows, _OFFSETS))
        for column, key in enumerate(keys.split())
        if key != "_"
    }
    return {
        key: "".join(
            other
            for other, (x2, y2) in places.items()
            if other != key and abs(x2 - x) <= 1 and abs(y2 - y) <= 1
        )
        for key, (x, y) in places.items()
    }


_NEIGHBOURS = {name: _neighbours_on(rows) for name, rows in LAYOUTS.items()}


def neighbours(character):
    """The characters whose keys touch that of ``character``, layout by layout.

    Args:
        character (str): one character; capitals have the neighbours of the small letter,
            as capitals.

    Returns:
        dict of str to str: name of a layout to characters, row by row; layouts without
        the character are left out.
    """
    small = character.lower()
    found = {name: layout[small] for name, layout in _NEIGHBOURS.items() if small in layout}
    if small == character:
        return found
    return {name: keys.upper() for name, keys in found.items()}
