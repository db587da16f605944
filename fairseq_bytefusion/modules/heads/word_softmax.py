"""The output of a language model: one of its known words, or another."""

import torch
import torch.nn as nn

from ...text.word_list import hash_words
from ..embedders.word_table import HashedWords, require_words

#: rows before those of the known words
UNKNOWN, BEGIN, END = range(3)
NUM_SPECIALS = 3
MAX_WORDS = 50_000


class WordSoftmax(HashedWords, nn.Linear):
    """Scores of words: ``<unk>``, ``<s>``, ``</s>``, then the known ones.

    Args:
        words (list of bytes): known words.
        dictionary (fairseq.data.Dictionary): of their symbols.
        dim (int): D, of states.

    Raises:
        ValueError: no word, one that comes twice, or more than ``MAX_WORDS``.
    """

    def __init__(self, words, dictionary, dim):
        if len(words) > MAX_WORDS:
            raise ValueError(
                f"{len(words)} words are too many for one softmax: make a list of at most "
                f"{MAX_WORDS} with data_prep/build_word_dict.py --max-words"
            )
        hashes = hash_words(words, dictionary)
        require_words(hashes)
        super().__init__(dim, NUM_SPECIALS + len(words))
        self.begin, self.end = dictionary.bos(), dictionary.eos()
        self.remember(hashes)

    def rows_of(self, words):
        """The rows of words.

        Args:
            words (UniqueWords): U different ones of a batch.

        Returns:
            Long[B, S]: ``UNKNOWN`` at padding too.
        """
        row, known = self.lookup(words.hashes)
        rows = torch.where(known, row + NUM_SPECIALS, torch.full_like(row, UNKNOWN))
        symbol = words.symbols[:, 0] if len(rows) else rows
        rows = rows.masked_fill(symbol.eq(self.begin), BEGIN)
        rows = rows.masked_fill(symbol.eq(self.end), END)
        rows = torch.cat([rows, rows.new_tensor([UNKNOWN])])
        return rows[words.index]
