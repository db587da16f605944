"""Fused attention in every geometry and setting, against the oracle."""

import itertools
import math

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

from fairseq_bytefusion.modules.attention import (
    Causal,
    Full,
    FusedAttention,
    OuterProductBranch,
    product_blocks,
)
from fairseq_bytefusion.modules.attention.fused import ACTIVATIONS, REDUCTIONS
from fairseq_bytefusion.modules.attention.gates import GATES
from fairseq_bytefusion.modules.decoding import DecodingCache
from fairseq_bytefusion.modules.named_scalars import collect_scalars
from fairseq_bytefusion.modules.word_local import WordLocal

from ...oracles.fused import fused_attention, outer_product

B, T, S, D, H = 3, 5, 7, 12, 3
SETTINGS = list(itertools.product(REDUCTIONS, ACTIVATIONS, (True, False), GATES))


@pytest.fixture(params=SETTINGS, ids=lambda setting: "-".join(map(str, setting)))
def setting(request):
    """A module, and what the oracle must know of it."""
    reduce, activation, scaled, gate = request.param
    torch.manual_seed(0)
    module = FusedAttention(
        D, H, reduce=reduce, activation=activation, scaled=scaled, gate=gate
    )
    module.double().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return module, {"activation": activation, "scaled": scaled, "gate": gate}


def states(*shape):
    return torch.randn(*shape, dtype=torch.double, requires_grad=True)


def assert_oracles(out, setting, query, memory, sees):
    """Outputs and gradients; ``sees(b, t, s)``: whether query t of b sees key s."""
    module, options = setting
    expected = torch.stack(
        [
            fused_attention(module, q, m, lambda t, s, b=b: sees(b, t, s), **options)
            for b, (q, m) in enumerate(zip(query, memory))
        ]
    )
    assert (out - expected).abs().max() <= 1e-9
    parts, weights = [*module.parameters(), query, memory], torch.randn_like(out)
    found = torch.autograd.grad((out * weights).sum(), parts)
    wanted = torch.autograd.grad((expected * weights).sum(), parts)
    for ours, theirs in zip(found, wanted):
        assert (ours - theirs).abs().max() <= 1e-9


def test_full(setting):
    query, memory = states(B, T, D), states(B, S, D)
    out, weights = setting[0](query, memory, Full(), need_weights=True)
    assert_oracles(out, setting, query, memory, lambda b, t, s: True)
    assert weights.shape == (B, H, T, S)


def test_padding_is_not_seen(setting):
    query, memory, lengths = states(B, T, D), states(B, S, D), [7, 4, 1]
    allowed = torch.arange(S)[None] < torch.tensor(lengths)[:, None]
    out, _ = setting[0](query, memory, Full(allowed[:, None, None]))
    assert_oracles(out, setting, query, memory, lambda b, t, s: s < lengths[b])


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


def test_causal(setting):
    x = states(B, T, D)
    out, _ = setting[0](x, x, Causal())
    assert_oracles(out, setting, x, x, lambda b, t, s: s <= t)


def test_word_local(setting):
    """Two words of one token, then three of two."""
    x, word = states(1, 8, D), [0, 1, 2, 2, 3, 3, 4, 4]
    out, _ = setting[0](x[0], x[0], WordLocal([(1, 2), (2, 3)]))
    assert_oracles(out[None], setting, x, x, lambda b, t, s: word[t] == word[s])


@torch.no_grad()
def test_cached_tree(setting):
    """A beam of two, whose hypotheses go on from each other's past."""
    module, x = setting[0], states(3 * T, B, 2, D)
    cache = DecodingCache(states(B, 1, D), None, torch.arange(B).repeat_interleave(2), 1)
    parents = torch.tensor([1, 1, 2, 3, 5, 4])
    past = torch.empty(2 * B, 0, D).double()
    for step in x:
        cache.open_step(torch.double)
        out, _ = module(step, step, cache.layers[0].past)
        past = torch.cat([past, step.flatten(0, 1).unsqueeze(1)], 1)
        expected, _ = module(past, past, Causal())
        assert (out.flatten(0, 1) - expected[:, -1]).abs().max() <= 1e-9
        cache.tree.follow(parents)
        past = past[parents]


@torch.no_grad()
def test_cached_memory(setting):
    module, query, memory = setting[0], states(B, 2, D), states(B, S, D)
    allowed = (torch.arange(S)[None] < torch.tensor([7, 4, 1])[:, None])[:, None, None]
    rows = torch.arange(B).repeat_interleave(2)
    cache = DecodingCache(memory, allowed, rows, 1)
    expected, _ = module(query, memory, Full(allowed))
    for given in (memory, None):  # projected the first time only
        out, _ = module(query, given, cache.layers[0].memory)
        assert (out - expected).abs().max() <= 1e-9


def test_the_tree_is_not_walked(monkeypatch):
    """The outer branch is given the ancestors of each hypothesis, and nothing else."""
    module, given = FusedAttention(D, H), []
    branch = module.branches[1]
    kernel = branch.attend_cached

    def listen(q, keys, values, bias=None):
        given.append((tuple(keys.shape), bias))
        return kernel(q, keys, values, bias)

    monkeypatch.setattr(branch, "attend_cached", listen)
    cache = DecodingCache(torch.zeros(1, 1, D), None, torch.zeros(4, dtype=torch.long), 1)
    for step in range(1, 30):
        cache.open_step(torch.float)
        module(torch.randn(1, 4, D), None, cache.layers[0].past)
        assert given[-1] == ((4 * H, D // H, step), None)
        cache.tree.follow(torch.arange(4))
    assert cache.tree.size >= 4 * 29


@pytest.mark.parametrize(
    ("activation", "scaled", "seen", "matrix"),
    [
        ("tanh", True, 2, ((0.888386, 1.776771), (-3.523863, -5.104391))),
        ("tanh", True, 1, ((0.888386, None), (None, -1.217719))),
        ("softmax", False, 2, ((1.238406, None), (None, 2.238406))),
    ],
)
def test_the_issues_example(activation, scaled, seen, matrix):
    q = torch.tensor([1.0, -1.0], dtype=torch.double)
    k = torch.tensor([[2.0, 1.0], [0.0, 3.0]], dtype=torch.double)
    v = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.double)
    oracle = outer_product(q, [*k[:seen]], [*v[:seen]], activation, scaled)
    for row, expected in zip(oracle, matrix):
        for number, right in zip(row, expected):
            assert right is None or number.item() == pytest.approx(right, abs=1e-6)
    branch = OuterProductBranch(2, 1, activation=activation, scaled=scaled).double()
    allowed = torch.tensor([True, seen == 2])
    found, _ = branch.attend(q.view(1, 1, 1, 2), k[None, None], v[None, None], allowed)
    assert (found.flatten() - oracle.diagonal()).abs().max() <= 1e-12


# --- what holds of any fused attention -------------------------------------------


def branches():
    """An outer branch of every reduction and activation."""
    for reduce, activation in itertools.product(REDUCTIONS, ACTIVATIONS):
        torch.manual_seed(0)
        yield OuterProductBranch(D, H, reduce=reduce, activation=activation)


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


@pytest.mark.parametrize("gate", GATES)
def test_bfloat16_autocast(gate):
    for reduce, activation in itertools.product(REDUCTIONS, ACTIVATIONS):
        torch.manual_seed(0)
        module = FusedAttention(D, H, reduce=reduce, activation=activation, gate=gate)
        x = torch.randn(B, T, D, requires_grad=True)
        expected, _ = module(x, x, Causal())
        with torch.autocast("cpu", torch.bfloat16):
            found, _ = module(x, x, Causal())
            found.float().square().sum().backward()
        assert (found - expected).abs().max() < 0.1
        assert all(p.grad.isfinite().all() for p in [x, *module.parameters()])


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


@pytest.mark.parametrize("gate", GATES)
def test_the_gate_is_logged(gate):
    module = FusedAttention(D, H, gate=gate)
    numbers = collect_scalars(module)
    if gate == "token-sigmoid":
        assert [n.name for n in numbers] == ["gate_self_norm", "gate_outer_norm"]
        expected = module.gate.of_second.weight.norm().item()
        assert numbers[1].value == pytest.approx(expected)
        return
    (number,) = numbers
    assert (number.name, number.value) == ("gate_outer", 0.5)
    with torch.no_grad():
        (module.gate.weight if gate == "scalar" else module.gate.map.bias)[1] = 2.0
    assert collect_scalars(module)[0].value == pytest.approx(1 / (1 + math.exp(-2)))
