import pytest
from fairseq.models import ARCH_CONFIG_REGISTRY, ARCH_MODEL_INV_REGISTRY

from fairseq_bytefusion.models.options import complete
from fairseq_bytefusion.models.options.byte_transformer import ByteTransformerConfig

from ..helpers import DictionaryTask, build_model, model_args

PRESETS = {
    "byte_transformer": (6, 6, 512, 2048, 8),
    "byte_transformer_iwslt": (6, 6, 512, 1024, 4),
    "byte_transformer_small": (3, 2, 128, 512, 4),
    "byte_transformer_tiny": (2, 2, 32, 64, 2),
    "byte_transformer_hit": (2, 2, 128, 128, 8),
    "byte_transformer_char2subword_paper": (6, 6, 512, 2048, 8),
}


def test_every_preset_is_tested():
    assert set(ARCH_MODEL_INV_REGISTRY["byte_transformer"]) == set(PRESETS)


@pytest.mark.parametrize("arch", PRESETS)
def test_presets(arch):
    args = model_args(arch)
    encoder_layers, decoder_layers, *widths = PRESETS[arch]
    assert (args.encoder_layers, args.decoder_layers) == (encoder_layers, decoder_layers)
    for side in ("encoder", "decoder"):
        names = ("embed_dim", "ffn_embed_dim", "attention_heads")
        assert [getattr(args, f"{side}_{name}") for name in names] == widths


def test_char2subword_preset():
    args = model_args("byte_transformer_char2subword_paper")
    assert args.encoder_embedder == "char2subword"
    found = (args.char2subword_layers, args.char_embed_dim, args.char2subword_heads)
    assert found == (6, 768, 12)


def test_hit_preset():
    options = complete(ByteTransformerConfig, model_args("byte_transformer_hit"))
    assert (options.encoder_embedder, options.mixture) == ("mixture", "sum")
    assert (options.mixture_composer, options.hit_attention) == ("hit", "fused")
    assert (options.encoder_attention, options.decoder_attention) == ("fused", "fused")
    assert options.cross_attention == "softmax"
    found = (options.hit_layers, options.hit_heads, options.hit_ffn_embed_dim)
    assert (*found, options.char_embed_dim) == (1, 8, 128, 128)
    assert not (options.encoder_normalize_before or options.decoder_normalize_before)


def test_size_of_the_hit_preset(monkeypatch):
    """Sengupta et al. 2021 report 1.4M to 2.7M; hinglish_top has 6,653 words."""
    words = [str(i).encode() for i in range(6653)]
    monkeypatch.setattr(DictionaryTask, "source_words", lambda task: words)
    model = build_model("byte_transformer_hit")
    assert sum(p.numel() for p in model.parameters()) == 1_946_634


@pytest.mark.parametrize("arch", PRESETS)
def test_presets_lose_to_flags(arch):
    args = model_args(arch, encoder_layers=9, decoder_embed_dim=72, dropout=0.7)
    assert (args.encoder_layers, args.decoder_embed_dim, args.dropout) == (9, 72, 0.7)
    assert arch in ARCH_CONFIG_REGISTRY
