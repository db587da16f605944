"""Tiny language models for tests."""

from argparse import Namespace

import torch
from fairseq.models import ARCH_CONFIG_REGISTRY

from fairseq_bytefusion.models.bilm import BiLMModel
from fairseq_bytefusion.models.options import complete
from fairseq_bytefusion.models.options.bilm import BiLMConfig

from ..helpers import DictionaryTask

COMPOSER_OPTIONS = {
    "char-cnn": {},
    "char2subword": {"char_embed_dim": 16, "char2subword_layers": 1},
    "char-rnn": {"char_embed_dim": 8, "char_rnn_hidden_dim": 4},
    "hit": {"char_embed_dim": 16, "hit_ffn_embed_dim": 8},
}


def language_model(name="char-cnn", seed=1, arch="bilm_tiny", **overrides):
    """A ``bilm`` with random weights, in eval mode."""
    torch.manual_seed(seed)
    args = Namespace(encoder_embedder=name, **COMPOSER_OPTIONS[name], **overrides)
    if name != "char-cnn":
        args.char_cnn_filters = "elmo"
    ARCH_CONFIG_REGISTRY[arch](args)
    options = complete(BiLMConfig, args)
    return BiLMModel.build_model(options, DictionaryTask()).eval()
