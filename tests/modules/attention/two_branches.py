"""An attention of two branches, of which one is not a softmax."""

import torch

from fairseq_bytefusion.modules.attention import (
    Branch,
    BranchedAttention,
    MultiheadAttention,
)

from ...oracles.attention import multihead_attention


class SigmoidAttention(Branch):
    """``sigmoid(q kᵀ / sqrt(d)) v``: what is masked adds 0, after the sigmoid."""

    def attend(self, q, k, v, allowed=None, causal=False, need_weights=False):
        weights = (q @ k.transpose(-1, -2) * self.scale).sigmoid()
        if causal:
            weights = weights.tril()
        return (weights if allowed is None else weights * allowed) @ v, None

    def attend_cached(self, q, keys, values, bias=None):
        weights = torch.bmm(q.flatten(0, 1), keys).view(*q.shape[:3], -1).sigmoid()
        if bias is not None:
            weights = weights * bias.eq(0)
        return torch.bmm(weights.flatten(0, 1), values).view(q.shape), None


class TwoBranches(BranchedAttention):
    """A quarter of softmax attention and three of sigmoid attention.

    Takes the arguments of :class:`Branch`; the second branch has twice the heads.
    """

    def __init__(self, embed_dim, num_heads, kdim=None, dropout=0.0):
        super().__init__(
            [
                MultiheadAttention(embed_dim, num_heads, kdim, dropout),
                SigmoidAttention(embed_dim, 2 * num_heads, kdim, dropout),
            ]
        )

    def combine(self, query, outputs):
        return 0.25 * outputs[0] + 0.75 * outputs[1]


def two_branches(module, query, memory, sees):
    """What :class:`TwoBranches` must compute of one sentence; see the oracle."""
    softmax, sigmoid = module.branches
    return 0.25 * multihead_attention(softmax, query, memory, sees) + (
        0.75 * multihead_attention(sigmoid, query, memory, sees, torch.sigmoid)
    )
