from functools import partial

import pytest
import torch

from fairseq_bytefusion.modules.attention import FusedAttention, MultiheadAttention
from fairseq_bytefusion.modules.attention.gates import ScalarGate
from fairseq_bytefusion.modules.embedders.composers.hit import (
    POOLINGS,
    maximum_of,
    mean_of,
)
from fairseq_bytefusion.modules.named_scalars import collect_scalars

from ....helpers import build_model, pad_batch
from ....oracles import word_composers as oracle
from .composers import RAGGED, composer

SHORT = ["kal do", "alarm 7 a", ""]  # the oracle of fused attention is slow
ATTENTIONS = {"softmax": MultiheadAttention, "fused": FusedAttention}


@pytest.fixture(params=ATTENTIONS.values(), ids=ATTENTIONS)
def attention(request):
    return partial(request.param, 8, 2)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_words_are_the_oracles(pooling, attention):
    module = composer("hit", pooling=pooling, layers=2, attention=attention).double()
    states, padding_mask = module(pad_batch(SHORT, left=True))
    words = [w for s in SHORT for w in oracle.characters_of(s.encode())]
    expected = torch.stack([oracle.hit(module, word) for word in words])
    found = states[~padding_mask]
    assert (found - expected).abs().max() <= 1e-9
    parts, weights = list(module.parameters()), torch.randn_like(found)
    ours = torch.autograd.grad((found * weights).sum(), parts)
    theirs = torch.autograd.grad((expected * weights).sum(), parts)
    assert max((a - b).abs().max() for a, b in zip(ours, theirs)) <= 1e-9


def test_pooling_by_hand():
    states = torch.tensor([[[1.0, -4.0], [3.0, -2.0], [9.0, 9.0]]])
    padding_mask = torch.tensor([[False, False, True]])
    assert mean_of(states, padding_mask).tolist() == [[2.0, -3.0]]
    assert maximum_of(states, padding_mask).tolist() == [[3.0, -2.0]]


def test_unknown_pooling():
    with pytest.raises(ValueError, match="unknown pooling 'last', choose from .*attention"):
        composer("hit", pooling="last")


def test_the_order_of_characters_counts():
    (states,), _ = composer("hit")(pad_batch(["stop pots"]))
    assert (states[0] - states[1]).abs().max() > 0.01


def test_characters_of_other_words_are_not_seen():
    module = composer("hit")
    (first,), _ = module(pad_batch(["kal subah alarm"]))
    (second,), _ = module(pad_batch(["kal shaam 7"]))
    assert torch.equal(first[0], second[0])


def test_dropout():
    module = composer("hit", dropout=0.5).train()
    batch = pad_batch(["some words"])
    assert not torch.equal(module(batch)[0], module(batch)[0])
    assert torch.equal(module.eval()(batch)[0], module(batch)[0])


def test_autocast(attention):
    module, batch = composer("hit", attention=attention), pad_batch(RAGGED)
    expected, _ = module(batch)
    with torch.autocast("cpu", torch.bfloat16):
        found, _ = module(batch)
    found.float().sum().backward()
    assert (found - expected).abs().max() <= 0.1
    assert all(p.grad.isfinite().all() for p in module.parameters())


def test_options_of_fused_attention_are_those_of_hit():
    settings = {"fused_reduce": "linear", "fused_activation": "softmax"}
    settings.update(fused_gate="scalar", fused_scale="false")
    model = build_model(encoder_embedder="hit", char_embed_dim=16, **settings)
    composer_layer, encoder_layer = (
        part.layers[0].self_attn for part in (model.encoder.embed_tokens, model.encoder)
    )
    assert isinstance(composer_layer.gate, ScalarGate)
    outer = composer_layer.branches[1]
    assert (outer.reduction is not None, outer.softmax, outer.scale) == (True, True, 1.0)
    assert isinstance(encoder_layer, MultiheadAttention)  # it was not asked for


def test_its_gates_are_among_the_numbers_worth_logging():
    model = build_model(encoder_embedder="hit", char_embed_dim=16, hit_layers=2)
    names = [scalar.name for scalar in collect_scalars(model)]
    paths = [f"encoder.embed_tokens.layers.{layer}.self_attn" for layer in (0, 1)]
    assert names == [f"{path}.gate_outer" for path in paths]


def test_characters_are_dropped_out_before_the_first_layer(attention):
    module = composer("hit", layers=1, attention=attention, dropout=0.5).train()
    seen = []
    module.layers[0].register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    module(pad_batch(SHORT))
    assert 0.2 < seen[0].eq(0).float().mean() < 0.8
