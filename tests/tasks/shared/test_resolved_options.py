from argparse import Namespace

import pytest
from omegaconf import OmegaConf

from fairseq_bytefusion.tasks.shared.resolved_options import store_resolved

from ...helpers import build_model, model_args
from ..running import make_task


@pytest.mark.parametrize("kind", [Namespace, OmegaConf.create], ids=["args", "config"])
def test_what_was_left_open_is_stored_as_it_was_resolved(kind):
    model = build_model(encoder_layers=3, encoder_fusion="wsf")
    given = {"fusion_layers": None, "char_embed_dim": None, "dropout": 0.2, "data": None}
    cfg = kind(**given) if kind is Namespace else kind(given)
    store_resolved(cfg, model)
    assert cfg.fusion_layers == 1
    assert cfg.char_embed_dim is None  # without a word composer there is none
    assert cfg.dropout == 0.2
    assert cfg.data is None


def test_the_task_stores_them(toy_data):
    cfg = model_args(encoder_embedder="char-cnn", char_cnn_filters="1:4")
    cfg._name = "byte_transformer_tiny"
    make_task(toy_data).build_model(cfg)
    assert cfg.char_embed_dim == 15
