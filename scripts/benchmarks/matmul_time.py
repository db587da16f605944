"""The time that the matrix products of a computation alone would take.

Records the shapes of every matrix product while a function runs, attention's
included, then runs products of those shapes and nothing else.
"""

from collections import Counter

import torch
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten
# Products of a fused attention, as (operands, result) in terms of T x d and T x S:
# forward q k', p v; backward those of dv, dp, dq, dk and the scores once more.
_ATTENTION_FORWARD, _ATTENTION_BACKWARD = 2, 5


class MatmulRecorder(TorchDispatchMode):
    """Counts the products that run inside, by shape ``(batch, m, k, n)``."""

    def __init__(self):
        super().__init__()
        self.shapes = Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.name()
        if name in ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"):
            a, b = args[-2:] if "add" in name else args[:2]
            self._count(a.shape, b.shape, 1)
        elif "scaled_dot_product" in name and "attention" in name:
            backward = "backward" in name
            q, k = args[1:3] if backward else args[:2]
            count = _ATTENTION_BACKWARD if backward else _ATTENTION_FORWARD
            self._count(q.shape, (*k.shape[:-2], k.shape[-1], k.shape[-2]), count)
        return function(*args, **(kwargs or {}))

    def _count(self, a, b, count):
        batch = 1
        for size in a[:-2]:
            batch *= size
        self.shapes[(batch, a[-2], a[-1], b[-1])] += count


def record(function):
    """Shapes of the products that ``function()`` runs: Counter of (b, m, k, n)."""
    with MatmulRecorder() as recorder:
        function()
    return recorder.shapes


def products(shapes, dtype=torch.float32):
    """A function that runs products of ``shapes`` and nothing else.

    Args:
        shapes (Counter): see :func:`record`.
        dtype (torch.dtype)

    Returns:
        callable
    """
    operands = []
    for (batch, m, k, n), count in shapes.items():
        if batch == 1:
            a, b = torch.randn(m, k, dtype=dtype), torch.randn(k, n, dtype=dtype)
            out = torch.empty(m, n, dtype=dtype)
            operands.append((torch.mm, a, b, out, count))
        else:
            a = torch.randn(batch, m, k, dtype=dtype)
            b = torch.randn(batch, k, n, dtype=dtype)
            out = torch.empty(batch, m, n, dtype=dtype)
            operands.append((torch.bmm, a, b, out, count))

    def run():
        for multiply, a, b, out, count in operands:
            for _ in range(count):
                multiply(a, b, out=out)

    return run
