import pytest
import torch

from fairseq_bytefusion.modules.attention import Full
from fairseq_bytefusion.modules.fusion import (
    FUSIONS,
    MultiScaleContext,
    NgramConvolution,
    WordAttention,
)
from fairseq_bytefusion.modules.fusion.ngram_conv import parse_kernels, start_scale
from fairseq_bytefusion.modules.term_shares import measured_terms, term_shares
from fairseq_bytefusion.modules.word_local import WordLocal
from fairseq_bytefusion.text import ByteDictionary

from ..helpers import SENTENCES, pad_batch
from ..oracles.ngram_conv import ngram_convolution, ngram_shares
from ..oracles.word_attention import word_attention, words_of
from .layers import encoder_layer

D = 8
RAGGED = [
    *SENTENCES,
    "no-spaces-at-all-but-punctuation,and-more",
    "   \t  ",
    "日本語のテキストには空白がありません" * 2,
    "word " * 400,
]


def ngram(**kwargs):
    torch.manual_seed(0)
    module = NgramConvolution(D, **kwargs).double()
    with torch.no_grad():
        module.weights.add_(torch.randn_like(module.weights))
    return module


def word(layers=2, boundary="space", max_word=16, **kwargs):
    torch.manual_seed(0)
    stack = [encoder_layer(D, 12, 2, **kwargs) for _ in range(layers)]
    module = WordAttention(stack, ByteDictionary(), boundary, max_word).double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return module


def gradients(module, states):
    found = [p.grad.clone() for p in module.parameters()] + [states.grad.clone()]
    module.zero_grad()
    states.grad = None
    return found


def compare(module, oracle, sentences, left):
    """Outputs and all gradients of a padded batch against the oracle, row by row."""
    batch = pad_batch(sentences, left=left, extra=1)
    real = batch != 1
    states = torch.randn(*batch.shape, D, dtype=torch.double, requires_grad=True)
    target = torch.randn_like(states)

    out = module(states, batch, ~real)
    (out * target)[real].sum().backward()
    found = gradients(module, states)

    rows = [oracle(states[i][real[i]], s) for i, s in enumerate(sentences)]
    expected = torch.cat(rows)
    assert (out[real] - expected).abs().max() <= 1e-9
    (expected * target[real]).sum().backward()
    for ours, theirs in zip(found, gradients(module, states)):
        assert (ours - theirs).abs().max() <= 1e-9


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
    compare(module, lambda states, _: ngram_convolution(module, states), RAGGED[:-1], left)


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("boundary", ["space", "script"])
@pytest.mark.parametrize("normalize_before", [False, True])
def test_word_attention_is_the_oracles(boundary, normalize_before, left):
    module = word(boundary=boundary, normalize_before=normalize_before)

    def oracle(states, sentence):
        blocks = words_of(sentence.encode(), boundary, 16)
        return word_attention(module, states, [*map(len, blocks), 1])

    compare(module, oracle, RAGGED[:-1], left)


def test_long_sentences_are_the_oracles():
    long = RAGGED[-1]
    assert len(long) == 2000
    module = word(layers=1)
    lengths = [*map(len, words_of(long.encode(), "space", 16)), 1]
    compare(
        module, lambda states, _: word_attention(module, states, lengths), [long], False
    )
    module = ngram()
    compare(module, lambda states, _: ngram_convolution(module, states), [long], True)


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


def test_no_information_crosses_a_word():
    module = word()
    batch = pad_batch(["one two  three", "four"])
    real = batch != 1
    states = torch.randn(*batch.shape, D, dtype=torch.double, requires_grad=True)
    out = module(states, batch, ~real)
    # Words as columns: "one", " two", "  three", </s>.
    for columns in (range(3), range(3, 7), range(7, 14), range(14, 15)):
        inside = torch.zeros_like(real)
        inside[0, list(columns)] = True
        for column in columns:
            (seen,) = torch.autograd.grad(out[0, column].sum(), states, retain_graph=True)
            reached = seen.abs().sum(-1) > 0
            assert reached[0, column]  # every byte sees itself
            assert torch.equal(reached, inside)


def test_padding_and_one_byte_words_are_finite():
    module = word()
    batch = torch.cat([pad_batch(["a b", " "]), torch.ones(1, 4, dtype=torch.long)])
    states = torch.randn(*batch.shape, D, dtype=torch.double, requires_grad=True)
    out = module(states, batch, batch == 1)
    assert out.isfinite().all()
    assert (out[batch == 1] == 0).all()
    out.sum().backward()
    assert states.grad.isfinite().all()
    only_padding = torch.ones(2, 3, dtype=torch.long)
    x = torch.randn(2, 3, D, dtype=torch.double)
    assert module(x, only_padding, only_padding == 1).isfinite().all()


def test_no_layers_change_nothing():
    module = word(layers=0)
    states = torch.randn(1, 3, D)
    tokens = pad_batch(["ab"])
    assert torch.equal(module(states, tokens, tokens == 1), states)


def test_within_one_word_a_layer_is_as_ever():
    layer, x = encoder_layer(D, 12, 2), torch.randn(1, 5, D)
    assert torch.allclose(layer(x[0], WordLocal([(5, 1)])), layer(x, Full())[0], atol=1e-6)


def test_nothing_of_size_t_by_t_is_allocated():
    """The largest tensor made of a sentence of T bytes grows linearly with T."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Largest(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.size = 0

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            out = function(*args, **(kwargs or {}))
            for tensor in out if isinstance(out, (tuple, list)) else [out]:
                if torch.is_tensor(tensor):
                    self.size = max(self.size, tensor.numel())
            return out

    module, largest = word(layers=1), []
    for words in (100, 400):
        batch = pad_batch(["words " * words])
        states = torch.randn(*batch.shape, D, dtype=torch.double)
        with Largest() as mode:
            module(states, batch, batch == 1)
        largest.append(mode.size / batch.numel())
    assert largest[1] <= 1.1 * largest[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [({"boundary": "word"}, "unknown boundary 'word'"), ({"max_word": 3}, "4 bytes")],
)
def test_wrong_word_options(options, message):
    with pytest.raises(ValueError, match=message):
        word(**options)


def test_every_fusion_is_tested():
    """``msc`` in test_multi_scale.py."""
    assert {
        "ncf": NgramConvolution,
        "wsf": WordAttention,
        "msc": MultiScaleContext,
    } == FUSIONS
