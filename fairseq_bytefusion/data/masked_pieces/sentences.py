"""Lines of text as pieces, and what pieces spell."""

import logging
import re
from dataclasses import dataclass
from typing import List

import numpy as np

from ...text.labelled_lines import numbered_lines
from ...text.pieces import symbols_of
from ...text.text_dictionary import encode_utf8

logger = logging.getLogger(__name__)

_WORDS = re.compile(rb"[^ \t\r\v\f]+")


def read_sentences_of_pieces(path, pieces_of, most=None):
    """The sentences of a file as pieces.

    Args:
        path (str): a sentence a line.
        pieces_of (callable): a word (bytes) to its pieces, a sequence of int.
        most (int, optional): pieces of a sentence; longer ones are cut behind a word, which
            is counted and logged.

    Returns:
        list of int32[N]: in the order of the lines; of a line without a word, int32[0].

    Raises:
        OSError: it cannot be read.
        ValueError: no line holds a word; no plain UTF-8.
    """
    rows, num_cut = [], 0
    for _, line in numbered_lines(path):
        row = []
        for word in _WORDS.findall(encode_utf8(line)):
            pieces = list(pieces_of(word))
            if most is not None and len(row) + len(pieces) > most:
                row = row or pieces[:most]
                num_cut += 1
                break
            row += pieces
        rows.append(np.array(row, np.int32))
    if not any(map(len, rows)):
        raise ValueError(f"{path} holds no word: there is nothing to learn from")
    if num_cut:
        logger.warning(
            "%s: %d of %d sentences have more than %d pieces, the positions of the "
            "pre-trained model, and are cut behind a word",
            *(path, num_cut, len(rows), most),
        )
    return rows


@dataclass
class Spellings:
    """What the rows of a table spell.

    Attributes:
        symbols (list of int64[C]): of each row; None where it spells nothing.
        begins (bool[V]): False for what goes on a word.
    """

    symbols: List
    begins: np.ndarray

    @classmethod
    def of(cls, pieces, dictionary, max_chars):
        """
        Args:
            pieces (list of Piece): None where a row spells nothing.
            dictionary (ByteDictionary)
            max_chars (int): longer ones are cut, counted and logged.
        """
        spelled = [piece for piece in pieces if piece is not None]
        num_cut = sum(len(encode_utf8(piece.text)) > max_chars for piece in spelled)
        if num_cut:
            logger.warning(
                "%d of %d pieces have more than %d bytes and are cut there "
                "(--max-word-chars)",
                *(num_cut, len(spelled), max_chars),
            )
        return cls(
            [p and symbols_of(p.text, dictionary, max_chars).numpy() for p in pieces],
            np.array([piece is not None and piece.begins for piece in pieces]),
        )

    def __post_init__(self):
        #: bool[V]: which rows spell something
        self.is_spelled = np.array([row is not None for row in self.symbols])
        #: int64[M]: the symbols that occur
        self.alphabet = np.unique(
            np.concatenate([r for r in self.symbols if r is not None])
        )
