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

    def compose(self, symbols, lengths):
        """
        Args:
            symbols (Long[U, C])
            lengths (Long[U])

        Returns:
            Float[U, D]
        """
        packed = pack_padded_sequence(
            self.characters(symbols), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, (last, _) = self.lstm(packed)
        if self.pool is None:
            return self.projection(torch.cat([last[0], last[1]], 1))
        states, _ = pad_packed_sequence(states, batch_first=True)
        columns = torch.arange(states.shape[1], device=states.device)
        return self.projection(self.pool(states, columns >= lengths.unsqueeze(1)))
