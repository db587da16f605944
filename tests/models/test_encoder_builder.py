"""An encoder alone: what a tagger or a classifier is built on."""

import pytest
import torch

from fairseq_bytefusion.models.encoder_builder import build_encoder
from fairseq_bytefusion.models.options import EncoderOptions, check, complete
from fairseq_bytefusion.text import ByteDictionary

from ..helpers import SENTENCES, DictionaryTask, build_model, pad_batch
from .systems import ENCODERS, WIDE

TINY = {
    "encoder_embed_dim": 32,
    "encoder_ffn_embed_dim": 64,
    "encoder_attention_heads": 2,
    "encoder_layers": 2,
    "max_source_positions": 2048,
}


def encoder_options(**given):
    given = EncoderOptions(**{**TINY, **given})
    options = complete(EncoderOptions, given)
    check(EncoderOptions, options, ByteDictionary())
    return options


@pytest.mark.parametrize("name", ENCODERS)
@torch.no_grad()
def test_an_encoder_alone_is_that_of_a_model(name):
    own = {n: v for n, v in WIDE.items() if n.startswith("encoder") and "one-hot" in name}
    options = encoder_options(**{**own, **ENCODERS[name]})
    assert not [n for n in vars(options) if n.startswith("decoder")]
    task = DictionaryTask()
    encoder = build_encoder(
        *(options, ByteDictionary(), task.source_words()),
        language_model=task.language_model(None),
    )
    model = build_model(**{**own, **ENCODERS[name]})
    encoder.load_state_dict(model.encoder.state_dict(), strict=True)
    batch = pad_batch(SENTENCES)
    found, expected = (e.eval()(batch)["encoder_out"][0] for e in (encoder, model.encoder))
    assert torch.equal(found, expected)


def test_its_options_are_checked_without_a_decoder():
    with pytest.raises(ValueError, match="--encoder-embed-dim 32 is not a multiple of"):
        encoder_options(encoder_attention_heads=5)
    with pytest.raises(ValueError, match="--ncf-weights softmax does nothing without"):
        encoder_options(ncf_weights="softmax")
    with pytest.raises(ValueError, match="raise --encoder-embed-dim from 32"):
        encoder_options(encoder_embedder="one-hot")
