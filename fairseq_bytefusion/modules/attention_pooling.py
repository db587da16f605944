"""Attention pooling: a learned query weighs the states of a sequence."""

import torch
import torch.nn as nn


class AttentionPooling(nn.Module):
    """``sum_i a_i h_i`` with ``a = softmax(u_i . u_w)``, ``u_i = tanh(W h_i + b)``.

    Args:
        dim (int): D, width of a state.

    Source: Yang et al. 2016, *Hierarchical Attention Networks for Document
    Classification*, equations 5 to 7.
    """

    def __init__(self, dim):
        super().__init__()
        self.projection = nn.Linear(dim, dim)
        self.context = nn.Linear(dim, 1, bias=False)  # u_w

    def forward(self, states, padding_mask):
        """
        Args:
            states (Float[U, C, D])
            padding_mask (Bool[U, C]): True at states that do not count.

        Returns:
            Float[U, D]: zeros where no state counts.
        """
        return (self.weights(states, padding_mask).unsqueeze(1) @ states).squeeze(1)

    def weights(self, states, padding_mask):
        """The weight of each state, Float[U, C]: 0 at padding, else their sum is 1."""
        scores = self.context(self.projection(states).tanh()).squeeze(-1)
        # No -inf: a row of padding alone stays finite.
        scores = scores.masked_fill(padding_mask, torch.finfo(scores.dtype).min)
        at_least_float32 = torch.promote_types(scores.dtype, torch.float32)
        weights = scores.softmax(-1, dtype=at_least_float32).type_as(states)
        return weights.masked_fill(padding_mask, 0.0)
