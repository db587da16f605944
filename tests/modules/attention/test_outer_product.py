"""The kernel of outer-product attention: masks, no keys, long texts, memory."""

import itertools

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

from fairseq_bytefusion.modules.attention import OuterProductBranch, product_blocks
from fairseq_bytefusion.modules.attention.fused import ACTIVATIONS, REDUCTIONS

B, T, S, D, H = 3, 5, 7, 12, 3


def branches():
    """An outer branch of every reduction and activation."""
    for reduce, activation in itertools.product(REDUCTIONS, ACTIVATIONS):
        torch.manual_seed(0)
        yield OuterProductBranch(D, H, reduce=reduce, activation=activation)


@pytest.mark.parametrize("shape", [(B, 1), (1, H), (B, H), (1, 1)])
def test_any_mask(shape):
    """One of each query, for every sentence, head, or both: as with the keys alone."""
    for reduce, activation in itertools.product(REDUCTIONS, ACTIVATIONS):
        branch = OuterProductBranch(D, H, reduce=reduce, activation=activation).double()
        q, k, v = torch.randn(3, B, H, S, D // H, dtype=torch.double)
        allowed = (torch.rand(*shape, S, S) < 0.5) | torch.eye(S, dtype=torch.bool)
        found, _ = branch.attend(q, k, v, allowed)
        for b, h, t in itertools.product(range(B), range(H), range(S)):
            seen = allowed[b % shape[0], h % shape[1], t]
            alone, _ = branch.attend(
                *(q[b : b + 1, h : h + 1, t : t + 1], k[b : b + 1, h : h + 1, seen]),
                v[b : b + 1, h : h + 1, seen],
            )
            assert (found[b, h, t] - alone.flatten()).abs().max() <= 1e-12


def test_a_masked_key_adds_exactly_0():
    """Whatever its key and value, nothing changes, and it gets no gradient."""
    for branch, mask in itertools.product(branches(), [(1, 1, 1, S), (1, 1, T, S)]):
        allowed = torch.ones(mask, dtype=torch.bool)
        allowed[..., 3] = False
        q, k, v = (torch.randn(1, H, n, D // H) for n in (T, S, S))
        found = []
        for size in (0.0, 1e6):
            k[:, :, 3], v[:, :, 3] = size, size
            parts = [x.clone().requires_grad_() for x in (k, v)]
            out, _ = branch.attend(q, *parts, allowed)
            out.sum().backward()
            assert all((x.grad[:, :, 3] == 0).all() for x in parts)
            found.append(out)
        assert torch.equal(*found)


@pytest.mark.parametrize("keys", [0, 1])
def test_one_key_and_no_key(keys):
    """Keys that are not there, and keys that are all masked."""
    for branch, causal in itertools.product(branches(), (False, True)):
        q, k = torch.randn(2, H, T, D // H), torch.randn(2, H, keys, D // H)
        out, _ = branch.attend(q, k, k, causal=causal and keys == T)
        assert out.isfinite().all()
        assert (out == 0).all() == (keys == 0)
        x = torch.randn(2, H, S, D // H, requires_grad=True)
        for shape in ((1, 1, 1, S), (2, 1, T, S)):
            allowed = torch.zeros(shape, dtype=torch.bool)
            allowed[..., :keys] = True
            out, _ = branch.attend(q, x, x, allowed)
            out.sum().backward()
            assert out.isfinite().all()
            assert x.grad.isfinite().all()
            assert (out == 0).all() == (keys == 0)


def test_no_query():
    for branch in branches():
        x = torch.randn(2, H, 0, D // H)
        assert branch.attend(x, x, x, causal=True)[0].shape == x.shape


def test_long_texts_are_cut_into_blocks():
    """Past the size of a block, in every direction, as all at once in float64."""
    for branch, causal in itertools.product(branches(), (False, True)):
        branch.double()
        q, k, v = torch.randn(3, 2, H, 70, D // H, dtype=torch.double)
        out, _ = branch.attend(q, k, v, causal=causal)
        products = q.unsqueeze(3) * k.unsqueeze(2) * branch.scale
        seen = torch.ones(70, 70, dtype=torch.bool)
        seen = (seen.tril() if causal else seen)[:, :, None]
        if branch.softmax:
            e = products.masked_fill(~seen, float("-inf")).softmax(3)
        else:
            e = products.tanh() * seen
        if branch.reduction is None:
            expected = (e * v.unsqueeze(2)).sum(3)
        else:
            matrices = torch.einsum("bhtsi,bhsj->bhtij", e, v)
            expected = branch.reduction(matrices.flatten(3))
        assert (out - expected).abs().max() <= 1e-12


class Sizes(TorchDispatchMode):
    """Notes the numbers of elements of every tensor that an operation returns."""

    def __init__(self):
        super().__init__()
        self.largest = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        tensors = tree_flatten(result)[0]
        sizes = [_stored(x) for x in tensors if isinstance(x, torch.Tensor)]
        self.largest = max([self.largest, *sizes])
        return result


def _stored(x):
    """Elements in memory: of an expanded view, those that are there."""
    return x.untyped_storage().nbytes() // x.element_size()


@pytest.mark.parametrize("causal", [False, True])
def test_memory_grows_with_the_length_alone(causal, monkeypatch):
    """No tensor, forward or backward, is larger than a block or a state of d numbers."""
    limit = 2**14
    monkeypatch.setattr(product_blocks, "_ON_CPU", limit)
    for branch in branches():
        saved, width = [], D // H

        def keep(x, saved=saved):
            saved.append(x)
            return x

        for length in (128, 256):
            q, k, v = torch.randn(3, 2, H, length, width, requires_grad=True)
            numbers, sizes = q.numel() * width, Sizes()
            with sizes, saved_tensors_hooks(keep, lambda x: x):
                branch.attend(q, k, v, causal=causal)[0].sum().backward()
            whole = q.numel() * length
            assert limit <= sizes.largest <= max(limit * (1 + 1 / 32), numbers) < whole
            assert max(map(_stored, saved)) <= numbers
