import pytest
import torch
from omegaconf import OmegaConf

from fairseq_bytefusion.models.byte_transformer import ByteTransformerModel
from fairseq_bytefusion.models.options import EncoderOptions, complete, resolve_as_before
from fairseq_bytefusion.modules.attention import Full

from ..helpers import SENTENCES, DictionaryTask, build_model, model_args, pad_batch
from ..tasks.running import make_task
from .systems import ATTENTION_OPTIONS, FUSION_OPTIONS, SYSTEMS

WITHOUT_COMPOSERS = {**FUSION_OPTIONS, **ATTENTION_OPTIONS}


@pytest.mark.parametrize("options", WITHOUT_COMPOSERS.values(), ids=WITHOUT_COMPOSERS)
def test_checkpointed_layers_give_the_same_gradients(options):
    batch, found = pad_batch(SENTENCES), []
    for checkpointed in (False, True):
        model = build_model(checkpoint_activations=checkpointed, dropout=0.0, **options)
        model.double().train()
        model(batch, None, batch)[0].logsumexp(-1).sum().backward()
        found.append({name: p.grad for name, p in model.named_parameters()})
    assert found[0].keys() == found[1].keys()
    for name, gradient in found[0].items():
        assert torch.allclose(gradient, found[1][name], atol=1e-9), name


@pytest.mark.parametrize("options", SYSTEMS.values(), ids=SYSTEMS)
def test_bfloat16(options):
    model = build_model(**options)
    batch = pad_batch(SENTENCES, left=True)
    expected = model(batch, None, batch)[0]
    found = model.bfloat16()(batch, None, batch)[0]
    assert found.dtype == torch.bfloat16
    assert (found.float() - expected).abs().max() < 0.25


@pytest.mark.parametrize("options", WITHOUT_COMPOSERS.values(), ids=WITHOUT_COMPOSERS)
@pytest.mark.parametrize("pre_norm", [False, True])
def test_automatic_mixed_precision(options, pre_norm):
    model = build_model(encoder_normalize_before=pre_norm, **options).train()
    batch = pad_batch(SENTENCES)
    with torch.autocast("cpu", torch.bfloat16):
        loss = model(batch, None, batch)[0].logsumexp(-1).mean()
    loss.backward()
    assert all(p.grad.isfinite().all() for p in model.parameters())


def test_encoder_layers_count_those_inside_the_fusion():
    for layers in range(4):
        options = {"encoder_layers": 3, "fusion_layers": layers}
        wsf = build_model(encoder_fusion="wsf", **options).encoder
        assert (len(wsf.fusion.layers), len(wsf.layers)) == (layers, 3 - layers)
        ncf = build_model(encoder_fusion="ncf", **options).encoder
        assert (ncf.shallow_layers, len(ncf.layers)) == (layers, 3)
        if layers:
            msc = build_model(encoder_fusion="msc", **options).encoder
            within = [layer.context is not None for layer in msc.layers]
            assert within == [True] * layers + [False] * (3 - layers)


@pytest.mark.parametrize(
    ("layers", "ncf", "wsf", "before"),
    [(1, 1, 1, 1), (2, 1, 1, 1), (3, 2, 1, 2), (4, 3, 1, 3), (6, 4, 2, 4), (9, 6, 3, 4)],
)
def test_default_number_of_fusion_layers(layers, ncf, wsf, before):
    """``before``: what a checkpoint means that does not say."""
    for fusion, default in (("ncf", ncf), ("wsf", wsf), ("msc", layers)):
        given = model_args(encoder_layers=layers, encoder_fusion=fusion)
        assert complete(EncoderOptions, given).fusion_layers == default
        resolve_as_before(EncoderOptions, given)
        assert complete(EncoderOptions, given).fusion_layers == before


def test_a_checkpoint_that_says_nothing_has_the_layers_of_its_time(toy_data):
    sizes = []
    for from_checkpoint in (False, True):
        cfg = model_args(encoder_layers=3, encoder_fusion="wsf")
        cfg._name = "byte_transformer_tiny"
        model = make_task(toy_data).build_model(cfg, from_checkpoint=from_checkpoint)
        sizes.append(len(model.encoder.fusion.layers))
        assert cfg.fusion_layers == sizes[-1]  # what it would be saved with
    assert sizes == [1, 2]


def test_wsf_without_layers_is_no_fusion():
    plain, empty = build_model(), build_model(encoder_fusion="wsf", fusion_layers=0)
    empty.load_state_dict(plain.state_dict(), strict=True)
    batch = pad_batch(SENTENCES)
    with torch.no_grad():
        assert torch.equal(plain(batch, None, batch)[0], empty(batch, None, batch)[0])


def test_the_shallow_layers_come_before_ncf():
    model = build_model(encoder_fusion="ncf", fusion_layers=1)
    batch = pad_batch(["abc"])
    encoder = model.encoder
    x, _, padding_mask = encoder.forward_embedding(batch)
    x = encoder.layers[0](x, Full())
    x = encoder.layers[1](encoder.fusion(x, batch, padding_mask), Full())
    assert torch.allclose(x.transpose(0, 1), encoder(batch)["encoder_out"][0], atol=1e-6)


@pytest.mark.parametrize("pre_norm", [False, True])
@pytest.mark.parametrize("options", [{}, {"ncf_weights": "softmax"},
                                     {"ncf_unigram": "identity"}], ids=str)  # fmt: skip
def test_a_new_ncf_neither_fades_nor_swells_the_states(options, pre_norm):
    """Of text, with layers before it: post-norm ones give states of variance 1."""
    size = {"encoder_embed_dim": 256, "encoder_normalize_before": pre_norm}
    encoder = build_model(encoder_fusion="ncf", **size, **options).encoder
    found = []

    def keep(module, inputs, fused):
        states, _, padding_mask = inputs
        found.extend(x[~padding_mask].std().item() for x in (states, fused))

    encoder.fusion.register_forward_hook(keep)
    with torch.no_grad():
        encoder(pad_batch([s for s in SENTENCES if len(s) > 8]))
    before, after = found
    # States of a text have much in common, which one draw of weights may favour.
    assert after == pytest.approx(before, rel=0.1)
    if not pre_norm:
        assert before == pytest.approx(1, rel=0.01)


def test_checkpoints_older_than_an_option_get_its_default():
    args = model_args()
    for name in ("encoder_fusion", "wsf_max_word", "fusion_layers"):
        delattr(args, name)
    ByteTransformerModel.build_model(args, DictionaryTask())


def test_dropout_can_be_retained_in_inference():
    model = build_model(dropout=0.5)
    cfg = OmegaConf.create(
        {"generation": {"retain_dropout": True, "retain_dropout_modules": None}}
    )
    model.prepare_for_inference_(cfg)
    batch = pad_batch(["abc"])
    assert not torch.equal(model(batch, None, batch)[0], model(batch, None, batch)[0])
