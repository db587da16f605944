"""LSTM layers that read sentences in one direction."""

import torch
import torch.nn as nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence


class DirectedLSTM(nn.Module):
    """Layers with a residual from each to the next, of one direction.

    ``h_1 = LSTM_1(x)``, ``h_j = LSTM_j(h_{j-1}) + h_{j-1}``: state k knows words 0..k, or
    backward words k.. alone, in every layer. Sentences are packed: no state depends on
    padding.

    Args:
        dim (int): D, of words and of states.
        lstm_dim (int): of cells. Where it is larger than D, what a cell gives is projected
            to D, also on its way to the next word; no projection where they are equal.
        num_layers (int): L.
        dropout (float): on what each layer reads.
        is_backward (bool): read the last word first.

    Raises:
        ValueError: cells narrower than D.

    Source: Peters et al. 2018, section 3.4; Sak et al. 2014 for projected states.
    """

    def __init__(self, dim, lstm_dim, num_layers, dropout=0.0, is_backward=False):
        super().__init__()
        if lstm_dim < dim:
            raise ValueError(f"cells {lstm_dim} wide cannot give states {dim} wide")
        self.is_backward = is_backward
        self.dropout = nn.Dropout(dropout)
        projection = {"proj_size": dim} if lstm_dim > dim else {}
        self.layers = nn.ModuleList(
            nn.LSTM(dim, lstm_dim, batch_first=True, **projection)
            for _ in range(num_layers)
        )

    def forward(self, x, padding_mask):
        """
        Args:
            x (Float[B, S, D])
            padding_mask (Bool[B, S]): True at padding, which is on the right.

        Returns:
            list of Float[B, S, D]: of each layer, zeros at padding.
        """
        # A row of nothing but padding counts as one word: torch packs no empty ones.
        lengths = (~padding_mask).sum(1).clamp(min=1)
        if self.is_backward:
            x = _reversed(x, lengths)
        packed = pack_padded_sequence(
            x, lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        found = []
        for layer in self.layers:
            states, _ = layer(_with_data(packed, self.dropout(packed.data)))
            if found:
                states = _with_data(states, states.data + packed.data)
            found.append(states)
            packed = states
        return [self._unpacked(states, lengths, padding_mask) for states in found]

    def _unpacked(self, packed, lengths, padding_mask):
        states, _ = pad_packed_sequence(
            packed, batch_first=True, total_length=padding_mask.shape[1]
        )
        if self.is_backward:
            states = _reversed(states, lengths)
        return states.masked_fill(padding_mask.unsqueeze(-1), 0.0)


def _with_data(packed, data):
    """``packed`` (PackedSequence) with other states (Float[N, D])."""
    _, sizes, order, inverse = packed
    return PackedSequence(data, sizes, order, inverse)


def _reversed(x, lengths):
    """The last word first; padding stays where it is.

    Args:
        x (Float[B, S, D])
        lengths (Long[B])

    Returns:
        Float[B, S, D]
    """
    place = torch.arange(x.shape[1], device=x.device)
    mirrored = lengths.unsqueeze(1) - 1 - place
    index = torch.where(mirrored >= 0, mirrored, place)
    return x.gather(1, index.unsqueeze(-1).expand_as(x))
