"""Fused attention: softmax attention and outer-product attention, under a gate."""

import torch
import torch.nn as nn

from .branch import Branch
from .branched import BranchedAttention
from .gates import GATES
from .multihead import MultiheadAttention
from .outer_product import outer_product_sums

#: how a matrix becomes a vector, and what products of queries and keys pass
REDUCTIONS = ("diag", "linear")
ACTIVATIONS = ("tanh", "softmax")


class OuterProductBranch(Branch):
    """Outer-product attention: ``sum_s tanh(q * k_s / sqrt(d)) (outer) v_s`` in every head.

    A query and a key are multiplied elementwise, so a head has a d x d matrix, of which the
    diagonal or a linear map makes its d numbers. Masked keys add exactly 0, after the
    activation; a query that sees no key gets 0.

    Args:
        embed_dim, num_heads, kdim: as of :class:`Branch`.
        reduce (str): ``diag``, or ``linear``: a map of d² numbers to d, which the heads
            share.
        activation (str): ``tanh``, or ``softmax`` over the keys, in every channel.
        scaled (bool): divide products by sqrt(d).

    Source: Sengupta et al. 2021, *HIT*, section 3.1; Le et al. 2020, *Self-Attentive
    Associative Memory*, section 3.1. ``diag``, ``softmax`` and no scale are what the
    released code of HIT does.
    """

    gathers_past = True

    def __init__(
        self,
        embed_dim,
        num_heads,
        kdim=None,
        reduce="diag",
        activation="tanh",
        scaled=True,
    ):
        super().__init__(embed_dim, num_heads, kdim)
        if not scaled:
            self.scale = 1.0
        self.softmax = activation == "softmax"
        self.reduction = None
        if reduce == "linear":
            self.reduction = nn.Linear(self.head_dim**2, self.head_dim, bias=False)
            nn.init.xavier_uniform_(self.reduction.weight)

    def attend(self, q, k, v, allowed=None, causal=False, need_weights=False):
        """As :meth:`Branch.attend`; it has no weights to return, and no dropout."""
        keys = k.transpose(2, 3)
        return self._sums(q * self.scale, keys, v, allowed, causal), None

    def attend_cached(self, q, keys, values, bias=None):
        """As :meth:`Branch.attend_cached`."""
        keys, values = (x.unflatten(0, (len(q), self.num_heads)) for x in (keys, values))
        return self._sums(q, keys, values, None if bias is None else bias.eq(0)), None

    def _sums(self, q, keys, values, allowed=None, causal=False):
        """The kernel, in float32 at least.

        Args:
            q (Float[B, H, T, d]), keys (Float[B, H, d, S]): one of them scaled.
            values (Float[B, H, S, d])
            allowed, causal: as of :meth:`Branch.attend`.

        Returns:
            Float[B, H, T, d]
        """
        batch, heads, length, width = q.shape
        hidden = None
        if allowed is not None:
            allowed = allowed[(None,) * (4 - allowed.dim())]
            if allowed.shape[2] == 1 and not self.softmax:  # no query sees their values
                values = values.masked_fill(~allowed.transpose(2, 3), 0.0)
            else:
                hidden = _by_groups(~allowed, (batch, heads, length, keys.shape[3]))
        dtype = torch.promote_types(q.dtype, torch.float32)
        channels = [x.to(dtype).flatten(1) for x in (
            q.permute(2, 0, 1, 3), keys.permute(3, 0, 1, 2), values.permute(2, 0, 1, 3)
        )]  # fmt: skip
        matrices = None if self.reduction is None else width
        sums = outer_product_sums(*channels, hidden, causal, self.softmax, matrices)
        numbers = width if matrices is None else width**2
        sums = sums.view(length, batch, heads, numbers).permute(1, 2, 0, 3).to(q.dtype)
        return sums if self.reduction is None else self.reduction(sums)


def _by_groups(hidden, shape):
    """A mask as Bool[G, T, S]: one of each head, or of each sentence, or of all.

    Args:
        hidden (Bool): of four dimensions, broadcastable to ``shape``.
        shape (tuple of int): B, H, T, S.
    """
    batch, heads, length, size = shape
    heads = heads if hidden.shape[1] > 1 else 1
    batch = batch if hidden.shape[0] > 1 or heads > 1 else 1
    return hidden.expand(batch, heads, length, size).flatten(0, 1)


class FusedAttention(BranchedAttention):
    """``a1 Z_self + a2 Z_outer``: softmax and outer-product attention, gated.

    Both branches have projections of their own. The gate (a1, a2) is a softmax, of

    - ``scalar``: two learned numbers;
    - ``token``: a linear map of the query's state;
    - ``token-sigmoid``: sigmoid(w1 · Z_self) and sigmoid(w2 · Z_outer).

    Args:
        embed_dim, num_heads, kdim, dropout: as of :class:`Branch`; dropout is that on the
            weights of the softmax.
        reduce, activation, scaled: as of :class:`OuterProductBranch`.
        gate (str): of ``GATES``.

    Source: Sengupta et al. 2021, *HIT*, section 3.1; ``token-sigmoid``: its released code.
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        kdim=None,
        dropout=0.0,
        *,
        reduce="diag",
        activation="tanh",
        scaled=True,
        gate="token",
    ):
        softmax = MultiheadAttention(embed_dim, num_heads, kdim, dropout)
        outer = OuterProductBranch(embed_dim, num_heads, kdim, reduce, activation, scaled)
        super().__init__([softmax, outer])
        self.gate = GATES[gate](embed_dim)

    @classmethod
    def build(cls, options, embed_dim, num_heads, kdim=None, dropout=0.0):
        """From ``fused_reduce``, ``fused_activation``, ``fused_scale``, ``fused_gate``."""
        return cls(
            *(embed_dim, num_heads, kdim, dropout),
            reduce=options.fused_reduce,
            activation=options.fused_activation,
            scaled=options.fused_scale == "true",
            gate=options.fused_gate,
        )

    def combine(self, query, outputs):
        """As :meth:`BranchedAttention.combine`."""
        gate = self.gate(query, *outputs).softmax(-1)
        return gate[..., :1] * outputs[0] + gate[..., 1:] * outputs[1]

    def named_scalars(self):
        """dict of str to float: what the gate's parameters say; see :mod:`.gates`."""
        return self.gate.numbers()
