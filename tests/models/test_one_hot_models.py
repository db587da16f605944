import pytest
import torch

from fairseq_bytefusion.modules.attention import Causal, Full
from fairseq_bytefusion.modules.transformer_layer import DecoderLayer

from ..helpers import SENTENCES, model_args, pad_batch
from ..modules.layers import decoder_layer
from .systems import WIDE, embedder_model
from .test_fairseq_parity import stock_transformer


def test_one_hot_has_no_table_and_no_dropout_at_its_ends():
    model = embedder_model("one-hot", "one-hot", dropout=0.5).train()
    names = [name for name, _ in model.named_parameters()]
    assert "encoder.embed_tokens.scale" in names
    assert "decoder.output_projection.scale" in names
    assert not [n for n in names if "embed_tokens.weight" in n]
    batch = pad_batch(SENTENCES)
    first, second = (model.encoder.forward_embedding(batch)[0] for _ in range(2))
    assert torch.equal(first, second)
    x = model.decoder.forward_embedding(batch)[0]
    assert (x == 0).float().mean() > 0.3  # dropout on the decoder's input stays
    layers = [m for m in model.modules() if isinstance(m, DecoderLayer)]
    assert [layer.dropout_on_output for layer in layers] == [True, False]


def test_last_layer_without_output_dropout_drops_nothing_after_its_ffn():
    layer = decoder_layer(8, 16, 2, 8, dropout=1.0, dropout_on_output=False).train()
    x, memory = torch.randn(1, 3, 8), torch.randn(1, 2, 8)
    # Dropout 1 silences the attention blocks; the FFN's output must survive.
    state = layer.encoder_attn_layer_norm(layer.self_attn_layer_norm(x))
    expected = layer.final_layer_norm(state + layer.feed_forward(state))
    assert torch.allclose(layer(x, memory, Causal(), Full())[0], expected, atol=1e-6)
    layer.dropout_on_output = True
    assert torch.allclose(
        layer(x, memory, Causal(), Full())[0], layer.final_layer_norm(state), atol=1e-6
    )


@pytest.mark.parametrize(
    ("options", "scale"),
    [({}, 1), ({"one_hot_output_scale": "sqrt-dim"}, 264**0.5)],
)
def test_the_scale_of_a_frozen_output(options, scale):
    model = embedder_model("one-hot", "one-hot", **options)
    projection = model.decoder.output_projection
    assert dict(projection.named_parameters()).keys() == {"scale"}
    assert projection.scale.item() == pytest.approx(scale)


def test_a_learned_output_is_that_of_any_transformer():
    options = {"one_hot_output": "learned", "dropout": 0.5}
    model = embedder_model("one-hot", "one-hot", **options).train()
    weight = model.decoder.output_projection.weight
    assert weight.shape == (260, 264)
    assert weight.std().item() == pytest.approx(264**-0.5, rel=0.02)
    layers = [m for m in model.modules() if isinstance(m, DecoderLayer)]
    assert [layer.dropout_on_output for layer in layers] == [True, True]
    batch = pad_batch(SENTENCES)
    model(batch, None, batch)[0].logsumexp(-1).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


PUBLISHED = {  # fairseq's options and ours: by the table of docs/models.md
    "Shaham & Levy": (
        {"share_all_embeddings": True},
        {"one_hot_output_scale": "sqrt-dim"},
    ),
    "Sreedhar et al.": ({}, {"one_hot_output": "learned"}),
}


@pytest.mark.parametrize(("theirs", "ours"), PUBLISHED.values(), ids=PUBLISHED)
def test_published_one_hot_models_are_transformers_with_a_given_table(theirs, ours):
    """Both programs put the zero-padded identity in place of fairseq's tables."""
    stock = stock_transformer(model_args(**WIDE, **theirs))
    identity = torch.eye(260, 264)
    identity[1] = 0
    stock.encoder.embed_tokens.weight.data.copy_(identity)
    stock.decoder.embed_tokens.weight.data.copy_(identity)
    model = embedder_model("one-hot", "one-hot", **ours)
    state = {
        name: value
        for name, value in stock.state_dict().items()
        if name in model.state_dict()
    }
    missing = {name for name in model.state_dict() if name not in state}
    scales = {"encoder.embed_tokens.scale", "decoder.embed_tokens.scale"}
    if "one_hot_output" not in ours:
        scales.add("decoder.output_projection.scale")
    assert missing == scales
    model.load_state_dict(state, strict=False)

    source = pad_batch([s for s in SENTENCES if s])
    with torch.no_grad():
        expected = stock(source, None, source)[0]
        found = model(source, None, source)[0]
    if "one_hot_output" not in ours:
        expected = 264**0.5 * expected  # their program scales the logits
    real = source != 1
    others = [symbol for symbol in range(260) if symbol != 1]  # a logit of theirs is 0
    assert (found - expected)[real][:, others].abs().max() <= 1e-4
