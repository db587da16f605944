"""The kernel of outer-product attention, in memory that grows with the text's length alone.

A *channel* is one dimension of a head of a sentence: there, T queries and S keys are
numbers, and their products a T x S matrix. Of all N channels that would be B x D x T x S
numbers, which are never there at once: a block of them is made (:mod:`.product_blocks`),
used, and overwritten by the next one, and the backward pass makes it again.
"""

import torch

from .product_blocks import blocks_of, room_for_a_block


def outer_product_sums(q, k, v, hidden=None, causal=False, softmax=False, width=None):
    """``sum_s f(q_t * k_s) v_s`` in every channel, or with every channel of its head.

    Args:
        q (Float[T, N]), k (Float[S, N]), v (Float[S, N])
        hidden (Bool[G, T, S], optional): True where query t does not see key s: for each
            of G equal parts of the channels.
        causal (bool): query t sees keys 0..t only; then there is no ``hidden``.
        softmax (bool): f is a softmax over the keys that a query sees, else tanh.
        width (int, optional): d, channels of a head, for whole matrices of d x d.

    Returns:
        Float[T, N], or Float[T, N, d]: the row of each channel in the matrix of its head.
        0 where a query sees no key.

    Source: Le et al. 2020, *Self-Attentive Associative Memory*, section 3.1. Making blocks
    again in the backward pass: Dao et al. 2022, *FlashAttention*, section 3.1.
    """
    return _OuterProductSums.apply(q, k, v, hidden, causal, softmax, width)


class _OuterProductSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, hidden, causal, softmax, width):
        ctx.causal, ctx.sums = causal, _Diagonals if width is None else _Matrices(width)
        out = q.new_zeros(q.shape if width is None else (*q.shape, width))
        room, spare = (room_for_a_block(q, k, width) for _ in range(2))
        logs = _log_sums(q, k, hidden, causal, room) if softmax else None
        for block in blocks_of(q, k, hidden, causal, width):
            weights, v_of_block = _weights(block, logs, room), v[block.of_keys]
            sums = ctx.sums.over_keys(weights, v_of_block, block.part_of(spare))
            out[block.of_queries] += sums
        ctx.save_for_backward(q, k, v, hidden, logs, out if softmax else None)
        return out

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        q, k, v, hidden, logs, out = ctx.saved_tensors
        dq, dk, dv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
        mean = None if out is None else ctx.sums.products(grad, out)
        room, spare = (room_for_a_block(q, k, ctx.sums.width) for _ in range(2))
        for block in blocks_of(q, k, hidden, ctx.causal, ctx.sums.width):
            queries, keys = block.of_queries, block.of_keys
            weights, change = _weights(block, logs, room), block.part_of(spare)
            dv[keys] += ctx.sums.over_queries(weights, grad[queries], change)
            ctx.sums.change_of_weights(grad[queries], v[keys], change)
            if mean is None:  # f' = 1 - f² of tanh
                torch.addcmul(block.seen, weights, weights, value=-1, out=weights)
                change.mul_(weights)
            else:
                change.sub_(mean[queries].unsqueeze(1)).mul_(weights)
            # What was the block is overwritten.
            dq[queries] += torch.mul(change, k[keys], out=weights).sum(1)
            dk[keys] += torch.mul(change, q[queries].unsqueeze(1), out=weights).sum(0)
        return dq, dk, dv, None, None, None, None


def _weights(block, logs, room):
    """Activated products Float[T', S', N']: by a softmax, given its logs, or by tanh."""
    x = block.products(room)
    if logs is None:
        return block.blank(x.tanh_())
    return block.exclude(x).sub_(logs[block.of_queries].unsqueeze(1)).exp_()


def _log_sums(q, k, hidden, causal, room):
    """Float[T, N]: what a softmax subtracts from products, 0 where there are none."""
    logs = torch.full_like(q, float("-inf"))
    for block in blocks_of(q, k, hidden, causal):
        products = block.exclude(block.products(room))
        own = logs[block.of_queries]
        own.copy_(torch.logaddexp(own, products.logsumexp(1)))
    return logs.masked_fill_(logs == float("-inf"), 0.0)


class _Diagonals:
    """A weight meets the value of its channel; blocks are Float[T', S', N']."""

    width = None

    @staticmethod
    def over_keys(weights, v, spare):
        """Float[T', N']: of values Float[S', N']."""
        return torch.mul(weights, v, out=spare).sum(1)

    @staticmethod
    def over_queries(weights, grad, spare):
        """Float[S', N']: of gradients Float[T', N']."""
        return torch.mul(weights, grad.unsqueeze(1), out=spare).sum(0)

    @staticmethod
    def change_of_weights(grad, v, out):
        """The gradient of a block, into ``out``."""
        torch.mul(grad.unsqueeze(1), v, out=out)

    @staticmethod
    def products(grad, out):
        """Float[T, N]: of what is returned and its gradient."""
        return grad * out


class _Matrices:
    """A weight meets all values of its head: as in ``_Diagonals``, with d numbers for one.

    Products of matrices are added to zeros in place, which autocast leaves alone.

    Args:
        width (int): d.
    """

    def __init__(self, width):
        self.width = width

    def over_keys(self, weights, v, spare):
        """Float[T', N', d]."""
        (queries, _, channels), weights = weights.shape, self._of_heads(weights)
        v = v.unflatten(1, (-1, self.width)).transpose(0, 1)
        sums = _product(weights, v).unflatten(1, (queries, self.width))
        return sums.transpose(0, 1).reshape(queries, channels, self.width)

    def over_queries(self, weights, grad, spare):
        """Float[S', N']."""
        weights = self._of_heads(weights).transpose(1, 2)
        return _product(weights, self._of_grad(grad)).transpose(0, 1).flatten(1)

    def change_of_weights(self, grad, v, out):
        """The gradient of a block, into ``out``."""
        v = v.unflatten(1, (-1, self.width)).permute(1, 2, 0)
        change = _product(self._of_grad(grad), v).unflatten(1, (-1, self.width))
        out.unflatten(2, (-1, self.width)).copy_(change.permute(1, 3, 0, 2))

    @staticmethod
    def products(grad, out):
        """Float[T, N]."""
        return (grad * out).sum(2)

    def _of_heads(self, weights):
        """A block as Float[P, T' d, S'], of P heads."""
        weights = weights.unflatten(2, (-1, self.width)).permute(2, 0, 3, 1)
        return weights.flatten(1, 2)

    def _of_grad(self, grad):
        """Float[T', N', d] as Float[P, T' d, d]."""
        return grad.unflatten(1, (-1, self.width)).transpose(0, 1).flatten(1, 2)


def _product(a, b):
    """Float[P, I, K] times Float[P, K, J]."""
    return a.new_zeros(len(a), a.shape[1], b.shape[2]).baddbmm_(a, b)
