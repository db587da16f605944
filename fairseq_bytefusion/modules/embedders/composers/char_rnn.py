"""char-rnn: a bidirectional LSTM over the characters of a word."""

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ...attention_pooling import AttentionPooling
from .word_composer import WordComposer

POOLINGS = ("last", "attention")


class CharRNN(WordComposer):
    """The last states of a forward and a backward LSTM, or all of their states pooled by
    attention, then a linear layer.

    Words are packed: no step reads padding.

    Args:
        dictionary, embedding_dim, char_dim, max_chars: see :class:`WordComposer`.
        hidden_dim (int): width of a state in each direction.
        pooling (str): of ``POOLINGS``.

    Raises:
        ValueError: an unknown pooling.

    Source: Ling et al. 2015, *Finding Function in Form*, section 3, equation 1 and below;
    pooling by attention: Yang et al. 2016, whose recurrent network is a GRU.
    """

    character_parts = ("characters", "lstm")

    def __init__(
        self,
        dictionary,
        embedding_dim,
        *,
        char_dim=50,
        hidden_dim=150,
        max_chars=50,
        pooling="last",
    ):
        if pooling not in POOLINGS:
            raise ValueError(f"unknown pooling {pooling!r}, choose from {POOLINGS}")
        super().__init__(
            dictionary, embedding_dim, char_dim, max_chars=max_chars, delimited=False
        )
        self.lstm = nn.LSTM(char_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.projection = nn.Linear(2 * hidden_dim, embedding_dim)
        self.pool = AttentionPooling(2 * hidden_dim) if pooling == "attention" else None

    @classmethod
    def default_char_dim(cls, options):
        """That of Ling et al. 2015."""
        return 50

    @classmethod
    def build(cls, options, dictionary, dim):
        """From ``char_embed_dim``, ``char_rnn_hidden_dim``, ``char_rnn_pooling``,
        ``max_word_chars``."""
        return cls(
            dictionary,
            dim,
            char_dim=options.char_embed_dim,
            hidden_dim=options.char_rnn_hidden_dim,
            max_chars=options.max_word_chars,
            pooling=options.char_rnn_pooling,
        )

    @property
    def character_dim(self):
        """int: that of the states of both directions."""
        return 2 * self.lstm.hidden_size

    def character_states(self, symbols, lengths):
        """As of the base class: of the forward and the backward LSTM side by side."""
        states, _ = pad_packed_sequence(
            self._read(symbols, lengths)[0], True, total_length=symbols.shape[1]
        )
        return states

    def compose(self, symbols, lengths):
        """
        Args:
            symbols (Long[U, C])
            lengths (Long[U])

        Returns:
            Float[U, D]
        """
        if self.pool is None:
            _, (last, _) = self._read(symbols, lengths)
            return self.projection(torch.cat([last[0], last[1]], 1))
        states = self.character_states(symbols, lengths)
        columns = torch.arange(states.shape[1], device=states.device)
        return self.projection(self.pool(states, columns >= lengths.unsqueeze(1)))

    def _read(self, symbols, lengths):
        """What the LSTM returns, packed."""
        return self.lstm(
            pack_padded_sequence(
                self.characters(symbols), lengths.cpu(), True, enforce_sorted=False
            )
        )
