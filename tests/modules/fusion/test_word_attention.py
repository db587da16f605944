import pytest
import torch

from fairseq_bytefusion.modules.attention import Full
from fairseq_bytefusion.modules.fusion import WordAttention
from fairseq_bytefusion.modules.word_local import WordLocal
from fairseq_bytefusion.text import ByteDictionary

from ...helpers import pad_batch
from ...oracles.word_attention import word_attention, words_of
from ..layers import encoder_layer
from .compare import LONG, RAGGED, D, compare


def word(layers=2, boundary="space", max_word=16, **kwargs):
    torch.manual_seed(0)
    stack = [encoder_layer(D, 12, 2, **kwargs) for _ in range(layers)]
    module = WordAttention(stack, ByteDictionary(), boundary, max_word).double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return module


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("boundary", ["space", "script"])
@pytest.mark.parametrize("normalize_before", [False, True])
def test_word_attention_is_the_oracles(boundary, normalize_before, left):
    module = word(boundary=boundary, normalize_before=normalize_before)

    def oracle(states, sentence):
        blocks = words_of(sentence.encode(), boundary, 16)
        return word_attention(module, states, [*map(len, blocks), 1])

    compare(module, oracle, RAGGED, left)


def test_a_long_sentence_is_the_oracles():
    module = word(layers=1)
    lengths = [*map(len, words_of(LONG.encode(), "space", 16)), 1]
    compare(
        module, lambda states, _: word_attention(module, states, lengths), [LONG], False
    )


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
