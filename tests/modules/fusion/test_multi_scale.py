import pytest
import torch

from fairseq_bytefusion.modules.attention import Causal, Full
from fairseq_bytefusion.modules.decoding import DecodingCache
from fairseq_bytefusion.modules.fusion import MultiScaleContext

from ...oracles.multi_scale import multi_scale

D = 16
KERNELS = {
    "default": (0, 0, 1, 1, 3, 3, 5, 5),
    "paper's seven languages": (0, 0, 1, 1, 3, 5, 5, 7),
    "in no order": (5, 0, 1, 3),
    "one": (3,),
    "no context": (0, 1),
}
LENGTHS = [7, 1, 0, 4]


def context(kernels=KERNELS["default"], causal=False):
    torch.manual_seed(0)
    return MultiScaleContext(D, kernels, causal).double()


def padded(lengths, left):
    """Bool[B, T]: padding on either side, with a column more than needed."""
    columns = torch.arange(max(lengths) + 1)
    mask = columns >= torch.tensor(lengths)[:, None]
    return mask.flip(1) if left else mask


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kernels", KERNELS.values(), ids=KERNELS)
def test_outputs_and_gradients_are_the_oracles(kernels, causal, left):
    module, padding = context(kernels, causal), padded(LENGTHS, left)
    x = torch.randn(*padding.shape, D, dtype=torch.double, requires_grad=True)
    parts, target = [*module.parameters(), x], torch.randn_like(x)
    out = module(x, Full(padding_mask=padding))
    assert out.shape == x.shape
    rows = [multi_scale(module, x[i][~padding[i]]) for i in range(len(x))]
    expected = torch.cat(rows)
    assert (out[~padding] - expected).abs().max() <= 1e-12
    found = torch.autograd.grad((out * target)[~padding].sum(), parts)
    wanted = torch.autograd.grad((expected * target[~padding]).sum(), parts)
    for ours, theirs in zip(found, wanted):
        assert (ours - theirs).abs().max() <= 1e-12


def test_what_a_state_sees():
    """A group of dimensions sees as far as its kernel, and no other group."""
    kernels, width = KERNELS["default"], D // 8
    for causal in (False, True):
        module = context(kernels, causal)
        x = torch.randn(1, 9, D, dtype=torch.double, requires_grad=True)
        out = module(x, Causal() if causal else Full())
        for group, kernel in enumerate(kernels):
            own = slice(group * width, (group + 1) * width)
            (seen,) = torch.autograd.grad(out[0, 4, own].sum(), x, retain_graph=True)
            reach = max(kernel - 1, 0)
            first, last = (4 - reach, 4) if causal else (4 - reach // 2, 4 + reach // 2)
            expected = torch.zeros(9, D, dtype=torch.bool)
            expected[first : last + 1, own] = True
            if kernel == 0:  # itself alone
                expected &= torch.eye(width, dtype=torch.bool).sum(0).bool().repeat(8)
            assert torch.equal(seen[0] != 0, expected), (group, causal)


def test_kernel_0_changes_nothing():
    x = torch.randn(2, 5, D, dtype=torch.double)
    out = context()(x, Full())
    assert torch.equal(out[..., : D // 4], x[..., : D // 4])


def test_a_search_step_by_step():
    """Two hypotheses of each sentence, which continue one another."""
    module, beam = context(causal=True), 2
    cache = DecodingCache(
        torch.zeros(3, 1, D), None, torch.arange(3).repeat_interleave(2), 1
    )
    pasts = [[] for _ in range(6)]
    for order in ([0, 1, 2, 3, 4, 5], [0, 0, 3, 3, 5, 4], [2, 3, 4, 5], [3, 3, 0, 1]):
        x = torch.randn(len(pasts), 1, D, dtype=torch.double)
        pasts = [[*past, new[0]] for past, new in zip(pasts, x)]
        found = cache.leave(module(cache.enter(x), cache.layers[0].past))
        for past, state in zip(pasts, found):
            expected = multi_scale(module, torch.stack(past))[-1]
            assert (state[0] - expected).abs().max() <= 1e-12
        cache.reorder(torch.tensor(order))
        pasts = [pasts[row] for row in order]
    assert cache.tree.beam == beam


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        ((), "must be odd"),
        ((0, 0), "one must not be 0"),
        ((1, 2), "must be odd"),
        ((3, -1), "must be odd"),
        ((1, 3, 5), "multiple of 3, and 16 is not"),
    ],
)
def test_wrong_kernels(kernels, message):
    with pytest.raises(ValueError, match=message):
        MultiScaleContext(D, kernels)


def test_parameters():
    module = MultiScaleContext(512)
    width = 512 // 8
    expected = sum(k * width * width + width for k in (1, 1, 3, 3, 5, 5))
    assert sum(p.numel() for p in module.parameters()) == expected
