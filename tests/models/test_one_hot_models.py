import torch

from fairseq_bytefusion.modules.attention import Causal, Full
from fairseq_bytefusion.modules.transformer_layer import DecoderLayer

from ..helpers import SENTENCES, pad_batch
from ..modules.layers import decoder_layer
from .systems import embedder_model


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
