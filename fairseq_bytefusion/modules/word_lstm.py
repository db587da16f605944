"""A bidirectional LSTM over words."""

import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class WordLSTM(nn.Module):
    """States of words that know the words before and behind them.

    Sentences are packed: no state depends on padding.

    Args:
        dim (int): D, half of it for each direction.
        num_layers (int)
        dropout (float): between layers.

    Raises:
        ValueError: an odd D.

    Source: Hochreiter & Schmidhuber 1997; Graves & Schmidhuber 2005.
    """

    def __init__(self, dim, num_layers, dropout=0.0):
        super().__init__()
        if dim % 2:
            raise ValueError(f"a bidirectional LSTM needs an even width, not {dim}")
        # Of a single layer torch would warn that there is nothing between layers.
        dropout = dropout if num_layers > 1 else 0.0
        self.lstm = nn.LSTM(
            dim,
            dim // 2,
            num_layers,
            batch_first=True,
            dropout=dropout,
            bidirectional=True,
        )

    def forward(self, x, padding_mask):
        """
        Args:
            x (Float[B, S, D])
            padding_mask (Bool[B, S]): True at padding, which is on the right.

        Returns:
            Float[B, S, D], zeros at padding.
        """
        # A row of nothing but padding counts as one word: torch packs no empty ones.
        lengths = (~padding_mask).sum(1).clamp(min=1).cpu()
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        states, _ = self.lstm(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])
        return states.masked_fill(padding_mask.unsqueeze(-1), 0.0)
