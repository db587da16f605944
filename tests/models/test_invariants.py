import pytest
import torch

from fairseq_bytefusion.modules.attention import ATTENTIONS
from fairseq_bytefusion.modules.embedders import EMBEDDERS, TOKEN_EMBEDDERS
from fairseq_bytefusion.modules.fusion import FUSIONS

from ..helpers import SENTENCES, build_model, pad_batch
from .systems import ATTENTION_OPTIONS, ENCODERS, FUSION_OPTIONS, SYSTEMS, WIDE, encoded

DECODERS = {"none": {}, "msc": {"decoder_fusion": "msc"}, **ATTENTION_OPTIONS}


def test_every_embedder_is_among_the_options():
    assert {o["encoder_embedder"] for o in ENCODERS.values()} == set(EMBEDDERS)


def test_every_fusion_is_among_the_options():
    assert {o.get("encoder_fusion", "none") for o in FUSION_OPTIONS.values()} == {
        "none",
        *FUSIONS,
    }


@pytest.mark.parametrize("options", ENCODERS.values(), ids=ENCODERS)
def test_batch_invariance(options):
    model = build_model(**{**WIDE, **options})
    alone = [encoded(model, pad_batch([sentence]))[0] for sentence in SENTENCES]
    for left in (False, True):
        together = encoded(model, pad_batch(SENTENCES, left=left, extra=3))
        for ours, expected in zip(together, alone):
            assert ours.shape == expected.shape
            assert (ours - expected).abs().max() <= 1e-5


@pytest.mark.parametrize("options", DECODERS.values(), ids=DECODERS)
@pytest.mark.parametrize("left", [False, True])
def test_decoder_ignores_padding(left, options):
    model = build_model(**options)
    memory = model.encoder(pad_batch(["abc", "abc"]))
    batch = pad_batch(["xyz", "longer than that"], left=left, extra=2)
    single = pad_batch(["xyz"])
    with torch.no_grad():
        together = model.decoder(batch, memory)[0][0][batch[0] != 1]
        alone = model.decoder(single, model.encoder(pad_batch(["abc"])))[0][0]
    assert (together - alone).abs().max() <= 1e-5


@pytest.mark.parametrize("options", ENCODERS.values(), ids=ENCODERS)
@pytest.mark.parametrize("decoder", TOKEN_EMBEDDERS)
def test_every_parameter_gets_a_gradient(options, decoder):
    model = build_model(**{**WIDE, "decoder_embedder": decoder, **options}).train()
    source = pad_batch(SENTENCES)
    model(source, None, source)[0].logsumexp(-1).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name


@pytest.mark.parametrize("options", SYSTEMS.values(), ids=SYSTEMS)
def test_a_row_of_padding_is_finite(options):
    model = build_model(**options)
    batch = torch.cat([pad_batch(["abc"]), torch.ones(1, 4, dtype=torch.long)])
    memory = model.encoder(batch)
    out = model.decoder(batch, memory)[0]
    assert memory["encoder_out"][0].isfinite().all()
    assert out.isfinite().all()
    out.sum().backward()
    assert all(p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.parametrize("options", DECODERS.values(), ids=DECODERS)
def test_decoder_does_not_see_the_future(options):
    model = build_model(**options)
    memory = model.encoder(pad_batch(["abc"]))
    with torch.no_grad():
        first = model.decoder(pad_batch(["abcd"]), memory)[0]
        second = model.decoder(pad_batch(["abXY"]), memory)[0]
    assert torch.equal(first[:, :2], second[:, :2])
    assert not torch.equal(first[:, 2:], second[:, 2:])


@pytest.mark.parametrize(
    "options",
    [
        {"checkpoint_activations": True},
        {"decoder_layerdrop": 0.5, "encoder_layerdrop": 0.5},
    ],
)
def test_checkpointing_and_layerdrop_change_no_evaluation(options):
    plain, changed = build_model(), build_model(**options)
    changed.load_state_dict(plain.state_dict())
    batch = pad_batch(SENTENCES)
    with torch.no_grad():
        expected = plain(batch, None, batch)[0]
        assert torch.allclose(changed(batch, None, batch)[0], expected, atol=1e-6)
    changed.train()
    changed(batch, None, batch)[0].sum().backward()


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_attention_weights_on_demand(attention):
    model = build_model(cross_attention=attention)
    batch = pad_batch(["abc", "a"])
    memory = model.encoder(batch)
    assert model.decoder(batch, memory)[1]["attn"] == [None]
    weights = model.decoder(batch, memory, alignment_layer=1)[1]["attn"][0]
    assert weights.shape == (2, 4, 4)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 4))
    assert (weights[1, :, 2:] == 0).all()
    model.decoder.make_generation_fast_(need_attn=True)
    assert torch.equal(model.decoder(batch, memory)[1]["attn"][0], weights)
