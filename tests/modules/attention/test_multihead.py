import pytest
import torch
from fairseq.modules import MultiheadAttention as FairseqAttention

from fairseq_bytefusion.modules.attention import Causal, Full, MultiheadAttention
from fairseq_bytefusion.modules.decoding import DecodingCache

from ...oracles.attention import multihead_attention

B, T, S, D, H = 3, 5, 7, 12, 3


def attention(**kwargs):
    torch.manual_seed(0)
    return MultiheadAttention(D, H, **kwargs).double().eval()


def states(*shape):
    return torch.randn(*shape, dtype=torch.double)


@pytest.mark.parametrize("need_weights", [False, True])
def test_masked_attention_is_the_oracles(need_weights):
    module, query, memory = attention(), states(B, T, D), states(B, S, D)
    lengths = [7, 4, 1]
    allowed = torch.arange(S)[None] < torch.tensor(lengths)[:, None]
    out, weights = module(query, memory, Full(allowed[:, None, None]), need_weights)
    for b in range(B):
        expected = multihead_attention(
            module, query[b], memory[b], lambda t, s, n=lengths[b]: s < n
        )
        assert (out[b] - expected).abs().max() <= 1e-12
    assert (weights is not None) == need_weights
    if need_weights:
        assert weights.shape == (B, H, T, S)
        assert torch.allclose(weights.sum(-1), torch.ones(B, H, T).double())


@pytest.mark.parametrize("need_weights", [False, True])
def test_causal_attention_is_the_oracles(need_weights):
    module, x = attention(), states(B, T, D)
    out, _ = module(x, x, Causal(), need_weights)
    for b in range(B):
        expected = multihead_attention(module, x[b], x[b], lambda t, s: s <= t)
        assert (out[b] - expected).abs().max() <= 1e-12


def cache_of(memory=None, sentences=B, beam=1):
    """The cache of one layer, and a function that begins a step."""
    memory = states(sentences, 1, D) if memory is None else memory
    rows = torch.arange(sentences).repeat_interleave(beam)
    cache = DecodingCache(memory, None, rows, 1)
    return cache.layers[0], lambda: cache.open_step(torch.double)


def test_one_step_at_a_time_is_all_at_once():
    module, x = attention(), states(B, T, D)
    expected, _ = module(x, x, Causal())
    cache, open_step = cache_of()
    for t in range(T):
        open_step()
        out, weights = module(x[:, t : t + 1], None, cache.past)
        assert (out[:, 0] - expected[:, t]).abs().max() <= 1e-12
        assert torch.allclose(weights.sum(-1), torch.ones(B, H, 1).double())


def test_hypotheses_of_a_sentence_do_not_see_each_other():
    """Two hypotheses a sentence are as twice the sentences."""
    module, x = attention(), states(B * 2, T, D)
    expected, _ = module(x, x, Causal())
    cache, open_step = cache_of(beam=2)
    for t in range(T):
        open_step()
        out, _ = module(x[:, t].view(B, 2, D), None, cache.past)
        assert (out.flatten(0, 1) - expected[:, t]).abs().max() <= 1e-12


def test_cross_attention_projects_its_memory_once():
    module = MultiheadAttention(D, H, kdim=8).double().eval()
    query, memory = states(B, 2, D), states(B, S, 8)
    cache, _ = cache_of(memory, beam=2)
    expected, weights = module(query, memory, Full(), need_weights=True)
    first, found = module(query, memory, cache.memory)
    assert (first - expected).abs().max() <= 1e-12
    assert (found - weights).abs().max() <= 1e-12
    assert torch.equal(module(query, None, cache.memory)[0], first)


@pytest.mark.parametrize("kdim", [None, 64])
def test_parameters_are_named_and_initialised_as_in_fairseq(kdim):
    ours = MultiheadAttention(192, 4, kdim=kdim)
    theirs = FairseqAttention(
        192,
        4,
        kdim=kdim,
        vdim=kdim,
        self_attention=kdim is None,
        encoder_decoder_attention=kdim is not None,
    )
    ours, theirs = ours.state_dict(), theirs.state_dict()
    assert ours.keys() == theirs.keys()
    for name, weight in ours.items():
        assert weight.shape == theirs[name].shape
        # Both draw at random; the largest of many uniform draws is close to the bound.
        assert weight.max().item() == pytest.approx(theirs[name].max().item(), rel=0.05)


def test_dropout_only_when_training():
    module, x = attention(dropout=0.5), states(B, T, D)
    assert torch.equal(module(x, x, Full())[0], module(x, x, Full())[0])
    module.train()
    assert not torch.equal(module(x, x, Full())[0], module(x, x, Full())[0])
    weights = module(x, x, Full(), need_weights=True)[1]
    assert torch.allclose(weights.sum(-1), torch.ones(B, H, T).double())


def test_heads_must_divide_the_dimension():
    with pytest.raises(ValueError, match=r"\(12\).*\(5\)"):
        MultiheadAttention(12, 5)
