"""Which word each symbol of a text belongs to, of whatever unit.

Words are what stands between white space, as in :mod:`.word_list`. The white space before a
word is part of it; that behind the last one, ``</s>`` and language tags are of no word::

    symbols   a   b c   </s>          words   0 0 0 0 . .      (. is -1)
"""

_WHITESPACE = b" \t\r\v\f\n"  # what bytes.isspace() says
#: of what belongs to no word
NO_WORD = -1


def bytes_of_symbols(dictionary):
    """What each symbol stands for.

    Args:
        dictionary (TextDictionary)

    Returns:
        list of bytes: by id; of ``<unk>`` its name, nothing of other special symbols.
    """
    found = [dictionary.decode_bytes([i]) for i in range(len(dictionary))]
    found[dictionary.unk()] = dictionary.unk_string().encode("utf-8")
    return found


def words_of_symbols(symbols):
    """The words of a text, and that of each symbol.

    Args:
        symbols (iterable of bytes): see :func:`bytes_of_symbols`.

    Returns:
        tuple: list of bytes, the words without white space at their ends, and list of int,
        the word of each symbol, from 0, or ``NO_WORD``.
    """
    words, index = [], []
    is_inside, before = False, []
    for i, symbol in enumerate(symbols):
        text = symbol.strip(_WHITESPACE)
        index.append(NO_WORD)
        if not text:
            if symbol:
                is_inside = False
                before.append(i)
            continue
        if is_inside and not symbol[:1].isspace():
            words[-1] += symbol
        else:
            words.append(symbol)
        for place in (*before, i):
            index[place] = len(words) - 1
        before = []
        is_inside = not symbol[-1:].isspace()
    return [word.strip(_WHITESPACE) for word in words], index
