"""Blocks of products of queries and keys, of which one at a time is in memory."""

from typing import NamedTuple

import torch

# Numbers of a block: few enough for a CPU's cache, enough to keep another device busy.
_ON_CPU, _ELSEWHERE = 2**17, 2**25
# Queries and keys of a block, at most, so that it has many channels: they lie together.
_LONGEST = 32


class Block(NamedTuple):
    """Some queries, keys and channels.

    Attributes:
        q (Float[T', N']), k (Float[S', N']): its queries and keys.
        of_queries, of_keys (tuple of slice): where in Float[T, N] and Float[S, N] they are.
        seen (Float[T', S', 1] or Float[1]): 1 where a query sees a key, else 0.
    """

    q: torch.Tensor
    k: torch.Tensor
    of_queries: tuple
    of_keys: tuple
    seen: torch.Tensor

    def part_of(self, room):
        """As much of ``room`` as the block needs: Float[T', S', N']."""
        shape = len(self.q), *self.k.shape
        return room[: len(self.q) * self.k.numel()].view(shape)

    def products(self, room):
        """Products of queries and keys, written into ``room``."""
        return torch.mul(self.q.unsqueeze(1), self.k, out=self.part_of(room))

    def blank(self, x):
        """``x`` (Float[T', S', N']) with 0 where a key is not seen; in place."""
        return x if self.seen.dim() == 1 else x.mul_(self.seen)

    def exclude(self, x):
        """``x`` with -inf where a key is not seen; in place."""
        return x if self.seen.dim() == 1 else x.add_(self.seen.log())


def blocks_of(q, k, hidden=None, causal=False, width=None):
    """All blocks of queries and keys; those that no query sees are left out.

    Args:
        q (Float[T, N]), k (Float[S, N])
        hidden (Bool[G, T, S], optional), causal: as of
            :func:`~.outer_product.outer_product_sums`.
        width (int, optional): a block has a multiple of so many channels.

    Yields:
        Block
    """
    channels = q.shape[1] if hidden is None else q.shape[1] // max(len(hidden), 1)
    for group, whole in enumerate(_steps(0, q.shape[1], channels)):
        for some in _steps(whole.start, whole.stop, _channels_of_a_block(q, k, width)):
            for queries in _steps(0, len(q), _LONGEST):
                end = min(queries.stop, len(k)) if causal else len(k)
                for keys in _steps(0, end, _LONGEST):
                    own = None if hidden is None else hidden[group, queries, keys]
                    if causal and keys.stop > queries.start + 1:
                        own = _later(queries, keys, q.device)
                    seen = q.new_ones(1) if own is None else (~own).to(q.dtype)[..., None]
                    of_queries, of_keys = (queries, some), (keys, some)
                    yield Block(q[of_queries], k[of_keys], of_queries, of_keys, seen)


def room_for_a_block(q, k, width=None):
    """Float: enough for any block; arguments as of :func:`blocks_of`."""
    size = min(len(q), _LONGEST) * min(len(k), _LONGEST)
    return q.new_empty(size * min(q.shape[1], _channels_of_a_block(q, k, width)))


def _channels_of_a_block(q, k, width):
    """int: a multiple of ``width``, at least that."""
    limit = _ON_CPU if q.device.type == "cpu" else _ELSEWHERE
    size = max(min(len(q), _LONGEST) * min(len(k), _LONGEST), 1)
    width = width or 1
    return max(limit // size // width, 1) * width


def _steps(start, stop, step):
    """Slices of at most ``step`` from ``start`` to ``stop``."""
    return [slice(i, min(i + step, stop)) for i in range(start, stop, max(step, 1))]


def _later(queries, keys, device):
    """Bool[T', S']: True where a key comes after a query."""
    t, s = (torch.arange(x.start, x.stop, device=device) for x in (queries, keys))
    return s > t.unsqueeze(1)
