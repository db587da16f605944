"""Two branches in every geometry, against the oracle; and in a whole model."""

import pytest
import torch

from fairseq_bytefusion.modules.attention import ATTENTIONS, Causal, Full
from fairseq_bytefusion.modules.decoding import DecodingCache
from fairseq_bytefusion.modules.word_local import WordLocal

from ...helpers import build_model, pad_batch
from ..decoding.search import SOURCES, Search
from .two_branches import TwoBranches, two_branches

B, T, S, D, H = 3, 5, 7, 12, 3


@pytest.fixture
def module():
    torch.manual_seed(0)
    return TwoBranches(D, H).double().eval()


def states(*shape):
    return torch.randn(*shape, dtype=torch.double)


def assert_rows(found, module, query, memory, sees):
    """``sees(b, t, s)``: whether query t of sentence b sees key s."""
    for b in range(len(query)):

        def seen(t, s, b=b):
            return sees(b, t, s)

        expected = two_branches(module, query[b], memory[b], seen)
        assert (found[b] - expected).abs().max() <= 1e-12


def test_full(module):
    query, memory = states(B, T, D), states(B, S, D)
    out, weights = module(query, memory, Full(), need_weights=True)
    assert_rows(out, module, query, memory, lambda b, t, s: True)
    assert weights.shape == (B, H, T, S)  # of the branch that has some


def test_padding_is_not_seen(module):
    query, memory, lengths = states(B, T, D), states(B, S, D), [7, 4, 1]
    allowed = torch.arange(S)[None] < torch.tensor(lengths)[:, None]
    out, weights = module(query, memory, Full(allowed[:, None, None]))
    assert_rows(out, module, query, memory, lambda b, t, s: s < lengths[b])
    assert weights is None


def test_causal(module):
    x = states(B, T, D)
    out, _ = module(x, x, Causal())
    assert_rows(out, module, x, x, lambda b, t, s: s <= t)


def test_word_local(module):
    """Two words of one token, then three of two."""
    x, word = states(8, D), [0, 1, 2, 2, 3, 3, 4, 4]
    out, _ = module(x, x, WordLocal([(1, 2), (2, 3)]))
    assert_rows(out[None], module, x[None], x[None], lambda b, t, s: word[t] == word[s])


def test_cached_tree(module):
    """A beam of two, whose hypotheses go on from each other's past."""
    x, parents = states(T, B, 2, D), torch.tensor([1, 1, 2, 3, 5, 4])
    cache = DecodingCache(states(B, 1, D), None, torch.arange(B).repeat_interleave(2), 1)
    past = torch.empty(2 * B, 0, D).double()
    for t in range(T):
        cache.open_step(torch.double)
        out, _ = module(x[t], x[t], cache.layers[0].past)
        past = torch.cat([past, x[t].flatten(0, 1).unsqueeze(1)], 1)
        expected, _ = module(past, past, Causal())
        assert (out.flatten(0, 1) - expected[:, -1]).abs().max() <= 1e-12
        cache.tree.follow(parents)
        past = past[parents]


def test_cached_memory(module):
    query, memory = states(B, 2, D), states(B, S, D)
    cache = DecodingCache(memory, None, torch.arange(B).repeat_interleave(2), 1)
    expected, _ = module(query, memory, Full())
    for given in (memory, None):  # projected the first time only
        out, _ = module(query, given, cache.layers[0].memory)
        assert (out - expected).abs().max() <= 1e-12


@pytest.mark.parametrize("beam", [1, 3])
@torch.no_grad()
def test_a_model_of_two_branches_decodes_with_its_cache(beam, monkeypatch):
    monkeypatch.setitem(ATTENTIONS, "softmax", lambda options: TwoBranches)
    model = build_model(encoder_fusion="wsf", fusion_layers=1)
    names = [name for name, _ in model.named_parameters()]
    for attention in ("encoder.fusion.layers.0.self_attn", "decoder.layers.1.encoder_attn"):
        assert f"{attention}.branches.1.out_proj.weight" in names
    search = Search(model, beam, sentences=4)
    torch.manual_seed(0)
    for kept in (None, None, [0, 2, 3], None, [2, 1], None):
        search.step()
        search.reorder(search.beam_order(kept))
    search.step()


def test_its_batches_do_not_matter(monkeypatch):
    monkeypatch.setitem(ATTENTIONS, "softmax", lambda options: TwoBranches)
    model = build_model()
    together = model.encoder(pad_batch(SOURCES, left=True, extra=3))["encoder_out"][0]
    for i, source in enumerate(SOURCES):
        (alone,) = model.encoder(pad_batch([source]))["encoder_out"]
        assert (together[-len(alone) :, i] - alone[:, 0]).abs().max() <= 1e-5
