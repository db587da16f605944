"""States of symbols to states of words."""

import torch
import torch.nn as nn

from ..text.words import block_starts, symbol_tables, symbols_of_words, word_index
from .embedders.composers import WordComposer

POOLINGS = ("mean", "first", "last")


class WordPooling(nn.Module):
    """One state a word, of the states of its symbols.

    Words are those that a word composer sees: what stands between white space, and
    ``</s>``. The white space before a word is left out::

        h i   m o m </s> .       mean: (h + i) / 2, (m + o + m) / 3, </s>

    Args:
        dictionary (fairseq.data.Dictionary): of the symbols.
        mode (str): one of ``POOLINGS``.

    Raises:
        ValueError: an unknown mode.
    """

    def __init__(self, dictionary, mode="mean"):
        super().__init__()
        if mode not in POOLINGS:
            raise ValueError(f"unknown pooling {mode!r}, choose from {POOLINGS}")
        self.mode = mode
        self.padding_idx = dictionary.pad()
        self.register_buffer("tables", symbol_tables(dictionary), persistent=False)

    def forward(self, states, tokens):
        """
        Args:
            states (Float[B, T, D])
            tokens (Long[B, T]): what they are states of; padded on either side.

        Returns:
            tuple: Float[B, S, D], zeros at padding, and padding_mask Bool[B, S], as of a
            word composer: S is the largest number of words of a sentence, and padding is
            on the right.
        """
        return pool(states, tokens, self.padding_idx, self.tables, self.mode)

    def extra_repr(self):
        return str(self.mode)


def pool(states, tokens, pad, tables, mode="mean"):
    """As :class:`WordPooling`.

    Args:
        states (Float[B, T, D])
        tokens (Long[B, T])
        pad (int): id of padding.
        tables (Bool[4, V]): see :func:`~..text.words.symbol_tables`.
        mode (str): one of ``POOLINGS``.

    Returns:
        tuple: Float[B, S, D] and Bool[B, S].
    """
    padding_mask = tokens.eq(pad)
    starts = block_starts(tokens, padding_mask, tables, max_word=None)
    kept, word, lengths = symbols_of_words(tokens, starts, padding_mask, tables)
    symbols = states[~padding_mask][kept]
    if mode == "mean":
        sums = symbols.new_zeros(len(lengths), symbols.shape[1]).index_add(0, word, symbols)
        vectors = sums / lengths.unsqueeze(1).to(sums.dtype)
    else:
        end = lengths.cumsum(0)
        vectors = symbols[end - (lengths if mode == "first" else 1)]
    index = word_index(starts, torch.arange(len(lengths), device=word.device), len(lengths))
    return WordComposer.place(vectors, index)
