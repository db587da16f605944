"""The kernel of outer-product attention, in memory that grows with the text's length alone.

A *row* is one channel of a head of a sentence: there, T queries and S keys are numbers, and
their products a T x S matrix. Of all N rows that would be B x D x T x S numbers, which are
never there at once: a *block*, of some rows and keys, is made, used, and overwritten by the
next one, and the backward pass makes it again.
"""

import math
from typing import NamedTuple, Optional

import torch

# Numbers of a block: few enough for a CPU's cache, enough to keep another device busy.
_ON_CPU, _ELSEWHERE = 2**18, 2**25
_KEYS_OF_A_BLOCK = 64


def outer_product_sums(q, k, v, hidden=None, causal=False, softmax=False):
    """``sum_s f(q_t k_s) v_s`` in every row.

    Args:
        q (Float[N, T]), k (Float[N, S]), v (Float[N, S, J])
        hidden (Bool[G, T, S], optional): True where query t does not see key s: for each
            of G equal parts of the rows.
        causal (bool): query t sees keys 0..t only; then there is no ``hidden``.
        softmax (bool): f is a softmax over the keys that a query sees, else tanh.

    Returns:
        Float[N, T, J]: 0 where a query sees no key.

    Source: Le et al. 2020, *Self-Attentive Associative Memory*, section 3.1. Making blocks
    again in the backward pass: Dao et al. 2022, *FlashAttention*, section 3.1.
    """
    return _OuterProductSums.apply(q, k, v, hidden, causal, softmax)


class _OuterProductSums(torch.autograd.Function):
    """All products are written in place or into a block, which autocast leaves alone."""

    @staticmethod
    def forward(ctx, q, k, v, hidden, causal, softmax):
        ctx.causal = causal
        out, block = q.new_zeros(*q.shape, v.shape[2]), _scratch(q, k)
        logs = _log_sums(q, k, hidden, causal, block) if softmax else None
        for part in _parts(q, k, hidden, causal):
            weights = part.weights(q, k, logs, block)
            out[part.rows, part.queries].baddbmm_(weights, v[part.rows, part.keys])
        ctx.save_for_backward(q, k, v, hidden, logs, out if softmax else None)
        return out

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        q, k, v, hidden, logs, out = ctx.saved_tensors
        dq, dk, dv = (x.new_zeros(x.shape) for x in (q[..., None], k[..., None], v))
        mean = None if out is None else (grad * out).sum(2, keepdim=True)
        block, other = _scratch(q, k), _scratch(q, k)
        for part in _parts(q, k, hidden, ctx.causal):
            of_queries, of_keys = (part.rows, part.queries), (part.rows, part.keys)
            weights = part.weights(q, k, logs, block)
            dv[of_keys].baddbmm_(weights.transpose(1, 2), grad[of_queries])
            change = part.numbers_of(other)
            torch.bmm(grad[of_queries], v[of_keys].transpose(1, 2), out=change)
            if mean is None:  # f' = 1 - f² of tanh
                change.addcmul_(change, weights.square_(), value=-1)
                part.hide(change, 0.0)
            else:
                change.sub_(mean[of_queries]).mul_(weights)
            dq[of_queries].baddbmm_(change, k[of_keys].unsqueeze(2))
            dk[of_keys].baddbmm_(change.transpose(1, 2), q[of_queries].unsqueeze(2))
        return dq.squeeze(2), dk.squeeze(2), dv, None, None, None


def _log_sums(q, k, hidden, causal, block):
    """Float[N, T, 1]: what a softmax subtracts from products, 0 where there are none."""
    logs = q.new_full((*q.shape, 1), float("-inf"))
    for part in _parts(q, k, hidden, causal):
        products = part.products(q, k, block)
        part.hide(products, float("-inf"))
        own = logs[part.rows, part.queries]
        own.copy_(torch.logaddexp(own, products.logsumexp(2, keepdim=True)))
    return logs.masked_fill_(logs == float("-inf"), 0.0)


class _Part(NamedTuple):
    """Some rows, and some of their queries and keys: what makes a block of them.

    Attributes:
        rows, queries, keys (slice)
        hidden (Bool[T', S'], optional): of its first T' queries and all its keys.
    """

    rows: slice
    queries: slice
    keys: slice
    hidden: Optional[torch.Tensor]

    def numbers_of(self, block):
        """Float[R, T', S']: as much of ``block`` as this part needs."""
        shape = [part.stop - part.start for part in (self.rows, self.queries, self.keys)]
        return block[: math.prod(shape)].view(shape)

    def weights(self, q, k, logs, block):
        """Activated products: by tanh, or by a softmax that subtracts ``logs``."""
        x = self.products(q, k, block)
        if logs is None:
            x.tanh_()
            self.hide(x, 0.0)
        else:
            self.hide(x, float("-inf"))
            x.sub_(logs[self.rows, self.queries]).exp_()
        return x

    def products(self, q, k, block):
        """Products of queries and keys, written into ``block``."""
        q, k = q[self.rows, self.queries], k[self.rows, self.keys]
        return torch.mul(q.unsqueeze(2), k.unsqueeze(1), out=self.numbers_of(block))

    def hide(self, x, value):
        """Put a value where a query does not see a key."""
        if self.hidden is not None:
            x[:, : len(self.hidden)].masked_fill_(self.hidden, value)


def _parts(q, k, hidden, causal):
    """The parts of all rows; what no query sees is left out.

    Yields:
        _Part
    """
    (num_rows, num_queries), num_keys = q.shape, k.shape[1]
    height, width = _block_size(q, k)
    later = torch.ones(width, width, dtype=torch.bool, device=q.device).triu(1)
    group = num_rows if hidden is None else num_rows // max(len(hidden), 1)
    for start in _steps(num_rows, group):
        for row in _steps(group, height):
            first = start.start + row.start
            rows = slice(first, first + row.stop - row.start)
            for keys in _steps(num_keys, width):
                if causal:  # queries before the first of these keys see none of them
                    own = later[: num_queries - keys.start, : keys.stop - keys.start]
                    yield _Part(rows, slice(keys.start, num_queries), keys, own)
                    continue
                own = None if hidden is None else hidden[start.start // group][:, keys]
                yield _Part(rows, slice(0, num_queries), keys, own)


def _steps(size, step):
    """Slices of at most ``step`` that make up ``size``."""
    return [slice(i, min(i + step, size)) for i in range(0, size, max(step, 1))]


def _block_size(q, k):
    """Rows and keys of a block, one at least; it has all queries."""
    limit = _ON_CPU if q.device.type == "cpu" else _ELSEWHERE
    num_queries = max(q.shape[1], 1)
    width = max(1, min(k.shape[1], _KEYS_OF_A_BLOCK, limit // num_queries))
    return max(1, limit // (num_queries * width)), width


def _scratch(q, k):
    """Room for a block."""
    height, width = _block_size(q, k)
    return q.new_empty(min(height, len(q)) * q.shape[1] * width)
