import pytest
import torch

from fairseq_bytefusion.modules.fusion import NgramConvolution
from fairseq_bytefusion.modules.fusion.ngram_conv import parse_kernels, start_scale
from fairseq_bytefusion.modules.term_shares import measured_terms, term_shares

from ...oracles.ngram_conv import ngram_convolution, ngram_shares
from .compare import LONG, RAGGED, D, compare


def ngram(**kwargs):
    torch.manual_seed(0)
    module = NgramConvolution(D, **kwargs).double()
    with torch.no_grad():
        module.weights.add_(torch.randn_like(module.weights))
    return module


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weights": "softmax"},
        {"unigram": "identity"},
        {"kernels": [3]},
        {"kernels": [5, 2]},
    ],
    ids=str,
)
def test_ngram_convolution_is_the_oracles(options, left):
    module = ngram(**options)
    compare(module, lambda states, _: ngram_convolution(module, states), RAGGED, left)


def test_a_long_sentence_is_the_oracles():
    module = ngram()
    compare(module, lambda states, _: ngram_convolution(module, states), [LONG], True)


def test_the_drawing_of_windows():
    module = NgramConvolution(1, [2, 3])
    with torch.no_grad():
        module.weights.copy_(torch.tensor([1.0, 0.0]))
        for conv in module.convs.values():
            conv.weight.fill_(1.0)
            conv.bias.zero_()
    states = torch.arange(1.0, 8.0).view(1, 7, 1)
    tokens = torch.full((1, 7), 101)
    windows = module(states, tokens, tokens == 1).flatten().tolist()
    assert windows == [3, 3, 7, 7, 11, 11, 7]
    with torch.no_grad():
        module.weights.copy_(torch.tensor([0.0, 1.0]))
    windows = module(states, tokens, tokens == 1).flatten().tolist()
    assert windows == [6, 6, 6, 15, 15, 15, 7]


def test_ngram_parameters():
    dim, kernels = 512, (1, 2, 3, 4)
    module = NgramConvolution(dim, kernels)
    expected = sum(n * dim * dim + dim for n in kernels) + 4
    assert sum(p.numel() for p in module.parameters()) == expected
    assert module.lambdas().tolist() == [0.5] * 4
    assert NgramConvolution(4, weights="softmax").lambdas().tolist() == [0.25] * 4
    free = NgramConvolution(4, [1, 3, 7]).lambdas().tolist()
    assert free == pytest.approx([3**-0.5] * 3)


@pytest.mark.parametrize("kernels", ["1", "4", "2,3", "1,2,3,4", "7,1,5"])
@pytest.mark.parametrize("unigram", ["conv", "identity"])
@pytest.mark.parametrize("weights", ["free", "softmax"])
def test_at_the_start_the_fused_states_have_the_variance_of_the_states(
    weights, unigram, kernels
):
    torch.manual_seed(0)
    sizes = parse_kernels(kernels)
    module = NgramConvolution(256, sizes, weights, unigram)
    states = torch.randn(4, 420, 256)  # whole windows of every size
    tokens = torch.full((4, 420), 101)
    with torch.no_grad():
        fused = module(states, tokens, tokens == 1)
    assert fused.var().item() == pytest.approx(states.var().item(), rel=0.03)
    assert all((conv.bias == 0).all() for conv in module.convs.values())
    if weights == "free":  # N(0, 1/(nD))
        for n, conv in module.convs.items():
            expected = (int(n) * 256) ** -0.5
            assert conv.weight.std().item() == pytest.approx(expected, rel=0.03)
            assert abs(conv.weight.mean().item()) <= 0.03 * expected


@pytest.mark.parametrize(
    ("sizes", "convolutions", "convex", "scale"),
    [
        (4, 4, False, 1),
        (4, 3, False, 1),
        (4, 4, True, 4**0.5),
        (4, 3, True, 5**0.5),
        (1, 1, True, 1),
    ],
)
def test_the_scale_of_new_weights(sizes, convolutions, convex, scale):
    assert start_scale(sizes, convolutions, convex) == pytest.approx(scale)


def shares_of(module, states, lengths, left=False, extra=0):
    """Shares of the n-grams in a batch of sentences (list of Float[T, D])."""
    width = max(lengths) + extra
    batch, padded = torch.randn(len(states), width, D).double(), []
    for row, state in zip(batch, states):
        places = range(width - len(state), width) if left else range(len(state))
        row[list(places)] = state
        padded.append([column not in places for column in range(width)])
    padding_mask = torch.tensor(padded)
    with measured_terms(module) as found:
        module(batch, padding_mask.long(), padding_mask)
    assert module.term_sums is None
    return found[""]


@pytest.mark.parametrize(
    "options",
    [{}, {"weights": "softmax"}, {"unigram": "identity"}, {"kernels": [5, 2]}],
    ids=str,
)
def test_the_shares_of_ngrams_are_the_oracles_for_any_batches(options):
    module = ngram(**options)
    with torch.no_grad():
        for conv in module.convs.values():
            conv.bias.normal_()
    lengths = [9, 1, 14, 6]
    states = [1 + torch.randn(length, D).double() for length in lengths]
    expected = ngram_shares(module, states)
    expected = {f"ncf_share_{n}": share for n, share in expected.items()}
    assert sum(expected.values()) == pytest.approx(1)
    for left in (False, True):
        together = shares_of(module, states, lengths, left, extra=3)
        assert term_shares(together) == pytest.approx(expected)
        apart = [shares_of(module, [s], [len(s)], left) for s in states]
        added = {
            name: [sum(numbers) for numbers in zip(*(sums[name] for sums in apart))]
            for name in expected
        }
        for name, sums in together.items():
            assert added[name] == pytest.approx(sums, rel=1e-5)
        assert term_shares(added) == pytest.approx(expected)


def test_weights_of_one_model_may_differ_and_its_shares_do_not():
    module, states = ngram(), [torch.randn(12, D).double()]
    before, lambdas = shares_of(module, states, [12]), module.lambdas().tolist()
    with torch.no_grad():
        module.weights[1] *= 5
        for parameter in module.convs["2"].parameters():
            parameter /= 5
    after = shares_of(module, states, [12])
    assert term_shares(after) == pytest.approx(term_shares(before))
    assert module.lambdas()[1].item() == pytest.approx(5 * lambdas[1])


def test_nothing_is_measured_unasked():
    module, states = ngram(), torch.randn(1, 5, D).double()
    names, mask = list(module.state_dict()), torch.zeros(1, 5, dtype=torch.bool)
    plain = module(states, mask.long(), mask)
    with measured_terms(module) as found:
        assert torch.equal(module(states, mask.long(), mask), plain)
        assert list(module.state_dict()) == names
    assert set(found[""]) == {f"ncf_share_{n}" for n in (1, 2, 3, 4)}
    module(states, mask.long(), mask)
    assert module.term_sums is None


@pytest.mark.parametrize("kernels", [[], [0, 1], [2, 2], [-1]])
def test_wrong_kernels(kernels):
    with pytest.raises(ValueError, match="different whole numbers from 1"):
        NgramConvolution(4, kernels)
