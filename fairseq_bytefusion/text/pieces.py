"""Pieces of a subword vocabulary: what they spell, and whether they begin a word."""

import re
from dataclasses import dataclass

import torch

from .text_dictionary import encode_utf8

# A row that spells nothing: [PAD], [unused12], <s>, <0x0A>, fairseq's fillers.
_SPECIAL = re.compile(
    r"\[(PAD|UNK|CLS|SEP|MASK|BOS|EOS|unused\d+)\]|<[^<>\s]+>|madeupword\d{4}"
)
# What marks the end of a word, or bytes: such pieces do not spell a word's beginning.
_UNREADABLE = {
    "@@": "subword-nmt marks the end of words, not their beginning",
    "</w>": "such a vocabulary marks the end of words, not their beginning",
    "Ġ": "byte-level BPE spells bytes as other characters",
}


@dataclass(frozen=True)
class Piece:
    """``name`` as the vocabulary has it, ``text`` without its mark; ``begins`` is False
    for what goes on a word: ``##ing`` of WordPiece, or ``ing`` beside ``▁the``."""

    name: str
    text: str
    begins: bool


def word_pieces(words):
    """list of Piece: ``words`` (list of str) as they are; whatever one looks like, it is
    a word."""
    return [_split_word(word) for word in words]


def read_pieces(names):
    """Take the marks off the entries of a vocabulary.

    Continuations are marked by ``##``, or else beginnings by ``▁``, or else every entry
    is a word.

    Args:
        names (list of str or None): None where a row has no entry.

    Returns:
        tuple: list of Piece, or None for rows that spell nothing; and a dict of reason
        to the names (list of str) of those.

    Raises:
        ValueError: the entries are marked in another way.
    """
    given = [name for name in names if name]
    for mark, reason in _UNREADABLE.items():
        marked = sum(mark in (n[: len(mark)], n[-len(mark) :]) for n in given)
        if 10 * marked > len(given):
            raise ValueError(
                f"{marked} of {len(given)} pieces have the mark {mark}: {reason}"
            )
    if any(name.startswith("##") for name in given):
        split = _split_wordpiece
    elif any(name.startswith("▁") for name in given):
        split = _split_sentencepiece
    else:
        split = _split_word
    pieces, left_out = [], {}
    for name in names:
        piece, reason = None, None
        if name is None:
            reason = "no entry in the vocabulary"
        elif _SPECIAL.fullmatch(name):
            reason = "special symbols"
        else:
            piece = split(name)
            if not piece.text:
                piece, reason = None, "no text beside the mark"
        pieces.append(piece)
        if reason:
            left_out.setdefault(reason, []).append(name or "")
    return pieces, left_out


def _split_wordpiece(name):
    continues = name.startswith("##") and name != "##"
    return Piece(name, name[2:] if continues else name, not continues)


def _split_sentencepiece(name):
    return Piece(name, name.lstrip("▁"), name.startswith("▁"))


def _split_word(name):
    return Piece(name, name, True)


def symbols_of(text, dictionary, max_chars):
    """Long[C]: the symbols of what a piece spells (str or bytes), at most ``max_chars``."""
    raw = encode_utf8(text)[:max_chars]
    return dictionary.encode_line(raw, append_eos=False).long()


def spell(pieces, dictionary, max_chars):
    """Pieces as a word composer takes them.

    Args:
        pieces (list of Piece): at least one.
        dictionary (ByteDictionary)
        max_chars (int): longer ones are cut there.

    Returns:
        dict: see :func:`collate_spellings`.
    """
    rows = [symbols_of(piece.text, dictionary, max_chars) for piece in pieces]
    return collate_spellings(rows, [piece.begins for piece in pieces], dictionary.pad())


def collate_spellings(rows, begins, pad):
    """Symbols of pieces side by side.

    Args:
        rows (list of Long[C])
        begins (list of bool): whether each begins a word.
        pad (int)

    Returns:
        dict: ``symbols`` Long[U, C], padded on the right, ``lengths`` Long[U] and
        ``begins`` Bool[U].
    """
    return {
        "symbols": torch.nn.utils.rnn.pad_sequence(rows, True, pad),
        "lengths": torch.tensor([len(row) for row in rows]),
        "begins": torch.tensor(begins),
    }
