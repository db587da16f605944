"""Fused attention in every geometry and setting, against the oracle."""

import itertools
import math

import pytest
import torch

from fairseq_bytefusion.modules.attention import (
    Causal,
    Full,
    FusedAttention,
    OuterProductBranch,
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


@pytest.mark.parametrize(
    ("reduce", "activation"), itertools.product(REDUCTIONS, ACTIVATIONS)
)
def test_sums_of_many_keys_are_rounded_once(reduce, activation):
    branch = OuterProductBranch(4, 1, reduce=reduce, activation=activation)
    branch.reduction = None if branch.reduction is None else torch.nn.Identity()
    q, k, v = (torch.rand(1, 1, n, 4).bfloat16() for n in (3, 700, 700))
    found, _ = branch.attend(q, k, v)
    expected, _ = branch.attend(q.float(), k.float(), v.float())
    assert torch.equal(found, expected.bfloat16())


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
