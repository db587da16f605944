"""Options of every kind of model that the tests of models go through."""

import torch

from fairseq_bytefusion.modules.embedders import TOKEN_EMBEDDERS

from ..helpers import build_model

WIDE = {  # the tiny model, wide enough for one-hot
    f"{side}_{name}": value
    for side in ("encoder", "decoder")
    for name, value in (("embed_dim", 264), ("ffn_embed_dim", 64))
}
FUSION_OPTIONS = {
    "none": {},
    "ncf": {"encoder_fusion": "ncf"},
    "ncf last": {"encoder_fusion": "ncf", "fusion_layers": 2, "ncf_unigram": "identity"},
    "wsf": {"encoder_fusion": "wsf", "wsf_max_word": 8},
    "wsf only": {"encoder_fusion": "wsf", "fusion_layers": 2, "wsf_boundary": "script"},
    "wsf none": {"encoder_fusion": "wsf", "fusion_layers": 0},
    "msc": {"encoder_fusion": "msc"},
    "msc some": {"encoder_fusion": "msc", "fusion_layers": 1, "msc_kernels": "3,0,1,3"},
}
COMPOSER_OPTIONS = {
    "char2subword": {"char_embed_dim": 16},
    "char-cnn": {"char_cnn_filters": "1:8,3:8,7:8", "max_word_chars": 9},
    "char-rnn": {"char_embed_dim": 16, "char_rnn_hidden_dim": 8},
    "hit": {"char_embed_dim": 16, "hit_ffn_embed_dim": 8, "hit_layers": 2},
    "char-rnn attention": {
        "encoder_embedder": "char-rnn",
        "char_rnn_hidden_dim": 8,
        "char_rnn_pooling": "attention",
    },
    "char-rnn msc": {
        "encoder_embedder": "char-rnn",
        "char_embed_dim": 16,
        "char_rnn_hidden_dim": 8,
        "encoder_fusion": "msc",
    },
    "mixture": {"char_embed_dim": 16},
    "concat": {
        "encoder_embedder": "mixture",
        "mixture": "concat",
        "mixture_composer": "char-cnn",
        "char_cnn_filters": "1:8,3:8",
        "char_cnn_highway_layers": 1,
        "char_cnn_activation": "relu",
    },
    "hybrid": {
        "encoder_embedder": "mixture",
        "mixture": "hybrid",
        "mixture_composer": "char-rnn",
    },
    "sum hit": {
        "encoder_embedder": "mixture",
        "mixture_composer": "hit",
        "char_embed_dim": 16,
        "hit_pooling": "max",
    },
    "words": {},
    "elmo": {"elmo_from": "a language model", "elmo_finetune": True},
    "hybrid hit": {
        "encoder_embedder": "mixture",
        "mixture": "hybrid",
        "mixture_composer": "hit",
        "char_embed_dim": 16,
        "hit_pooling": "mean",
    },
}
FUSED = {f"{where}_attention": "fused" for where in ("encoder", "decoder", "cross")}
_OF_DECODERS = ("decoder_attention", "cross_attention")
ATTENTION_OPTIONS = {
    "fused": FUSED,
    "fused released": {
        **FUSED,
        "fused_activation": "softmax",
        "fused_scale": "false",
        "fused_gate": "token-sigmoid",
    },
    "fused linear": {**FUSED, "fused_reduce": "linear", "fused_gate": "scalar"},
    "fused wsf": {**FUSED, **FUSION_OPTIONS["wsf"]},
}
ENCODERS = {  # every embedder with every fusion it can have
    f"{embedder} {fusion}": {"encoder_embedder": embedder, **options}
    for embedder in TOKEN_EMBEDDERS
    for fusion, options in FUSION_OPTIONS.items()
}
ENCODERS.update(
    (name, {"encoder_embedder": name, **options})  # or the one in its options
    for name, options in COMPOSER_OPTIONS.items()
)
for name, options in ATTENTION_OPTIONS.items():
    of_encoder = {
        k: v for k, v in options.items() if k.split("_")[0] in ("encoder", "fused")
    }
    ENCODERS[name] = {"encoder_embedder": "dense", **of_encoder}
# A model of each fusion, attention and composer, with all else as in the tiny model.
SYSTEMS = {
    **FUSION_OPTIONS,
    **ATTENTION_OPTIONS,
    "msc both": {"encoder_fusion": "msc", "decoder_fusion": "msc"},
    **{name: ENCODERS[name] for name in COMPOSER_OPTIONS},
}


def embedder_model(encoder, decoder, **overrides):
    return build_model(
        **{**WIDE, "encoder_embedder": encoder, "decoder_embedder": decoder, **overrides}
    )


def encoded(model, batch):
    """The encoder's states of each sentence, without padding."""
    with torch.no_grad():
        memory = model.encoder(batch)
    padding_mask = memory["encoder_padding_mask"][0]
    lengths = memory["src_lengths"][0].flatten()
    assert torch.equal(lengths, (~padding_mask).sum(1).int())
    states = memory["encoder_out"][0].transpose(0, 1)
    return [row[~mask] for row, mask in zip(states, padding_mask)]
