"""Softmax attention with several heads."""

import torch
import torch.nn.functional as F

from .branch import Branch


class MultiheadAttention(Branch):
    """Scaled dot-product attention: ``softmax(q kᵀ / sqrt(d)) v`` in every head.

    Takes the arguments of :class:`Branch`; ``dropout`` is that on attention weights.

    Source: Vaswani et al. 2017, section 3.2.
    """

    def attend(self, q, k, v, allowed=None, causal=False, need_weights=False):
        """As :meth:`Branch.attend`."""
        dropout = self.dropout if self.training else 0.0
        if not need_weights:
            return F.scaled_dot_product_attention(q, k, v, allowed, dropout, causal), None
        scores = q @ k.transpose(-1, -2) * self.scale
        if causal:
            allowed = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device)
            allowed = allowed.tril()
        if allowed is not None:
            scores = scores.masked_fill(~allowed, float("-inf"))
        weights = _softmax(scores)
        return F.dropout(weights, dropout) @ v, weights

    def attend_cached(self, q, keys, values, bias=None):
        """As :meth:`Branch.attend_cached`."""
        scores = torch.bmm(q.flatten(0, 1), keys)
        if bias is not None:
            scores.view(*q.shape[:3], -1).add_(bias)
        weights = _softmax(scores)
        return torch.bmm(weights, values).view(q.shape), weights.view(*q.shape[:3], -1)


def _softmax(scores):
    """Over the last dimension, in float32 at least."""
    if scores.dtype in (torch.float32, torch.float64):
        return scores.softmax(-1)
    return scores.softmax(-1, dtype=torch.float32).type_as(scores)
