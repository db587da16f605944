"""Word boundaries of a token batch, from its ids alone. Vectorised, on any device.

The whitespace before a word belongs to it, as SentencePiece's leading ``▁``; ``</s>``
is a block of its own, and so is a language tag. Blocks of a sentence (one letter each,
``.`` is padding)::

    h i   m o m !   </s> .          space:   a a b b b b b c .
                                    script:  a a b c c c d e .
"""

from dataclasses import dataclass

import torch

BOUNDARIES = ("space", "script")
# A character has at most three continuation bytes behind its first.
MAX_CHARACTER = 4
_WHITESPACE = " \t\r\v\f"
# The rows of :func:`symbol_tables`.
WHITESPACE, CONTINUATION, ALPHANUMERIC, ALONE = range(4)


def symbol_tables(dictionary):
    """Which symbols are whitespace, UTF-8 continuation bytes, ASCII letters or digits,
    and which stand alone: ``</s>`` and language tags.

    Args:
        dictionary (fairseq.data.Dictionary): a :class:`~.text_dictionary.TextDictionary`,
            or one whose symbols are text (``▁`` counts as a space).

    Returns:
        Bool[4, V]: a row each, ``WHITESPACE``, ``CONTINUATION``, ``ALPHANUMERIC``,
        ``ALONE``.
    """
    tables = torch.zeros(4, len(dictionary), dtype=torch.bool)
    tables[ALONE, [dictionary.eos(), *getattr(dictionary, "tags", {}).values()]] = True
    for i in range(dictionary.nspecial, len(dictionary)):
        symbol = _symbol_bytes(dictionary, i)
        tables[WHITESPACE, i] = bool(symbol) and not symbol.strip(_WHITESPACE.encode())
        tables[CONTINUATION, i] = len(symbol) == 1 and 0x80 <= symbol[0] < 0xC0
        tables[ALPHANUMERIC, i] = symbol.isalnum()  # of bytes: ASCII only
    return tables


def _symbol_bytes(dictionary, index):
    if hasattr(dictionary, "decode_bytes"):
        return dictionary.decode_bytes([index])
    return dictionary[index].replace("▁", " ").encode("utf-8")


def block_starts(tokens, padding_mask, tables, boundary="space", max_word=64):
    """Where the blocks of ``wsf`` begin.

    Blocks partition the real tokens of a sentence. A block begins at the first token,
    at the first of a run of whitespace, at what stands alone and behind it; with
    ``script`` also at every change between ASCII letters or digits and anything else
    that is not a continuation byte. A longer block than ``max_word`` is split at
    character starts.

    Args:
        tokens (Long[B, T]): padded on either side.
        padding_mask (Bool[B, T]): True at padding.
        tables (Bool[4, V]): see :func:`symbol_tables`.
        boundary (str): ``space`` or ``script``.
        max_word (int, optional): longest block, in tokens, at least 4; None for no limit.

    Returns:
        Bool[B, T]: True at the first token of a block, False at padding.

    Source: Sreedhar et al. 2023, section 3.2, with the whitespace rule of this package.
    """
    whitespace, continuation, alphanumeric, alone = tables[:, tokens]
    starts = _shifted(padding_mask, True) | alone | _shifted(alone, False)
    starts |= whitespace & ~_shifted(whitespace, False)
    if boundary == "script":
        starts |= ~continuation & (alphanumeric != _shifted(alphanumeric, False))
    starts &= ~padding_mask
    if max_word is None:
        return starts
    return starts | _splits(starts, padding_mask, continuation, max_word)


def _shifted(x, fill):
    """``x`` one column later: what the token before had."""
    first = torch.full_like(x[:, :1], fill)
    return torch.cat([first, x[:, :-1]], 1)


def _splits(starts, padding_mask, continuation, max_word):
    """Bool[B, T]: where blocks longer than ``max_word`` are split.

    A character goes to piece ``(its offset in the block) // (max_word - 3)``: pieces
    have at most ``max_word`` bytes, whatever stands before them. Stray continuation
    bytes beyond what a character can have count as characters.
    """
    columns = torch.arange(starts.shape[1], device=starts.device).expand_as(starts)
    block_start = torch.where(starts, columns, -1).cummax(1).values
    far_back = continuation
    for _ in range(MAX_CHARACTER - 1):
        far_back = _shifted(far_back, False) & continuation
    is_character = (starts | ~continuation | far_back) & ~padding_mask
    character = torch.where(is_character, columns, -1).cummax(1).values
    piece = (character - block_start) // (max_word - MAX_CHARACTER + 1)
    new_piece = is_character & (piece != _shifted(piece, 0)) & ~starts

    next_start = torch.where(starts | padding_mask, columns, starts.shape[1])
    next_start = torch.cat(
        [next_start[:, 1:], torch.full_like(columns[:, :1], starts.shape[1])], 1
    )
    block_end = next_start.flip(1).cummin(1).values.flip(1)
    return new_piece & (block_end - block_start > max_word)


@dataclass
class UniqueWords:
    """The different words of a batch, and where each stands.

    The symbols of a word are those of its block without the whitespace in front; a
    block of whitespace alone keeps it::

        tokens    a   b c   a </s>          symbols   a      lengths  1
                  b c </s>  .  .                      b c             2
                                                      </s>            1
        index     0 1 0 2                   (rows in the order of their hashes)
                  1 2 3 3                   (3 = U at padding)

    Attributes:
        symbols (Long[U, C]): a row each, its first C at most, then padding.
        lengths (Long[U]): of the rows, at least 1.
        hashes (Long[U]): 64 bits of all symbols of a word, ascending.
        index (Long[B, S]): the row of each word of each sentence; U at padding, which
            is on the right. S is at least 1.
        num_cut (int): words of the batch that are longer than their row.
    """

    symbols: torch.Tensor
    lengths: torch.Tensor
    hashes: torch.Tensor
    index: torch.Tensor
    num_cut: int


def unique_words(tokens, pad, tables, max_chars):
    """Cut a batch into words at whitespace; equal words share a row.

    Words are the blocks of :func:`block_starts`, ``</s>`` and tags among them. Two words
    are equal if their hashes are.

    Args:
        tokens (Long[B, T]): padded on either side.
        pad (int): id of padding.
        tables (Bool[4, V]): see :func:`symbol_tables`.
        max_chars (int): longest row.

    Returns:
        UniqueWords
    """
    padding_mask = tokens.eq(pad)
    starts = block_starts(tokens, padding_mask, tables, max_word=None)
    kept, word, lengths = symbols_of_words(tokens, starts, padding_mask, tables)
    symbols = tokens[~padding_mask][kept]
    first = lengths.cumsum(0) - lengths
    hashes = _word_hashes(symbols, torch.arange(len(word), device=word.device), word, first)
    hashes, row = hashes.unique(return_inverse=True)

    # One of the equal words stands for all of them.
    example = torch.full_like(hashes, len(row)).scatter_reduce(
        0, row, torch.arange(len(row), device=row.device), "amin"
    )
    longest = int(lengths.max()) if len(lengths) else 0
    columns = torch.arange(min(longest, max_chars), device=tokens.device)
    is_symbol = columns < lengths[example].unsqueeze(1)
    positions = (first[example].unsqueeze(1) + columns).masked_fill(~is_symbol, 0)
    return UniqueWords(
        symbols=symbols[positions].masked_fill(~is_symbol, pad),
        lengths=lengths[example].clamp(max=max_chars),
        hashes=hashes,
        index=word_index(starts, row, len(hashes)),
        num_cut=int((lengths > max_chars).sum()) if longest > max_chars else 0,
    )


def symbols_of_words(tokens, starts, padding_mask, tables):
    """Which symbols are those of words: not the white space before one.

    Args:
        tokens (Long[B, T])
        starts (Bool[B, T]): see :func:`block_starts`.
        padding_mask (Bool[B, T])
        tables (Bool[4, V]): see :func:`symbol_tables`.

    Returns:
        tuple: Bool[R] of the R real tokens, N of them True; Long[N] the word of each of
        these, ascending; Long[W] symbols a word, at least 1.
    """
    symbols = tokens[~padding_mask]
    word = starts[~padding_mask].cumsum(0) - 1
    is_text = ~tables[WHITESPACE, symbols]
    num_words = int(starts.sum())
    num_text = torch.bincount(word[is_text], minlength=num_words)
    kept = is_text | num_text[word].eq(0)
    word = word[kept]
    return kept, word, torch.bincount(word, minlength=num_words)


def word_index(starts, row, fill):
    """Where the words of a batch stand.

    Args:
        starts (Bool[B, T]): see :func:`block_starts`.
        row (Long[W]): a number for each word, sentence by sentence.
        fill (int): the number of no word.

    Returns:
        Long[B, S]: S is at least 1; ``fill`` behind the last word of a sentence.
    """
    counts = starts.sum(1, keepdim=True)
    columns = torch.arange(max(1, int(counts.max())), device=starts.device)
    index = torch.full((len(starts), len(columns)), fill, device=starts.device)
    return index.masked_scatter(columns < counts, row)


def _word_hashes(symbols, position, word, first):
    """Long[W]: the sum of a random number a symbol and place in the word.

    The numbers are splitmix64's (Steele et al. 2014), so that a hash means the same in
    every process; sums of 64 bits wrap around, and do not depend on the order.
    """
    x = (position - first[word]) * 2**32 + symbols + 1
    x = x * -0x61C8864680B583EB
    x = (x ^ _logical_shift(x, 30)) * -0x40A7B892E31B1A47
    x = (x ^ _logical_shift(x, 27)) * -0x6B2FB644ECCEEE15
    x = x ^ _logical_shift(x, 31)
    return torch.zeros_like(first).index_add(0, word, x)


def _logical_shift(x, bits):
    return (x >> bits) & (2 ** (64 - bits) - 1)
