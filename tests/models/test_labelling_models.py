"""Taggers and classifiers over every embedder and fusion."""

from argparse import Namespace

import pytest
import torch
from fairseq.models import ARCH_CONFIG_REGISTRY

from fairseq_bytefusion.models.options import complete
from fairseq_bytefusion.modules.word_pooling import POOLINGS
from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.labelled_lines import NO_LABEL

from ..helpers import SENTENCES, build_model, pad_batch
from .labelling import MODELS, LabelTask, label_model
from .systems import COMPOSER_OPTIONS, ENCODERS, FUSION_OPTIONS, WIDE

WIDE = {name: value for name, value in WIDE.items() if name.startswith("encoder")}
SYSTEMS = {
    **ENCODERS,
    **{f"pooling {mode}": {"word_pooling": mode} for mode in POOLINGS},
    "lstm": {"encoder_type": "lstm"},
    "lstm one-hot": {"encoder_type": "lstm", "encoder_embedder": "one-hot"},
    "lstm last": {"encoder_type": "lstm", "word_pooling": "last"},
    **{
        f"lstm {name}": {"encoder_type": "lstm", **ENCODERS[name]}
        for name in COMPOSER_OPTIONS
        if "encoder_fusion" not in ENCODERS[name]
    },
}
DECODERS = {"crf": {"tag_decoder": "crf"}, "softmax": {}}


def model_of(name, options):
    return label_model(name, **{**WIDE, **options})


def scored(model, batch):
    """Scores of each sentence, those of a tagger without padding; and decoded labels."""
    with torch.no_grad():
        output = model(batch)
        labels = model.decode(output)
    scores = output["scores"]
    if scores.dim() == 3:
        scores = [row[~mask] for row, mask in zip(scores, output["padding_mask"])]
        labels = [row[~mask] for row, mask in zip(labels, output["padding_mask"])]
    return list(zip(scores, labels))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("options", SYSTEMS.values(), ids=SYSTEMS)
def test_batch_invariance(name, options):
    model = model_of(name, options)
    alone = [scored(model, pad_batch([sentence]))[0] for sentence in SENTENCES]
    for left in (False, True):
        together = scored(model, pad_batch(SENTENCES, left=left, extra=3))
        for (ours, labels), (expected, expected_labels) in zip(together, alone):
            assert ours.shape == expected.shape
            assert (ours - expected).abs().max() <= 1e-5
            assert torch.equal(labels, expected_labels)


def loss_of(model, output):
    """A loss that every parameter has a part in."""
    if getattr(model.options, "tag_decoder", "softmax") == "crf":
        target = torch.ones(output["is_word"].shape, dtype=torch.long)
        return model.head.losses(output["scores"], output["is_word"], target).sum()
    return output["scores"].logsumexp(-1).sum()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("options", SYSTEMS.values(), ids=SYSTEMS)
def test_every_parameter_gets_a_gradient(name, options):
    model = model_of(name, options).train()
    batch = torch.cat([pad_batch(SENTENCES), torch.ones(1, 151, dtype=torch.long)])
    loss_of(model, model(batch)).backward()
    for parameter_name, parameter in model.named_parameters():
        assert parameter.grad is not None, parameter_name
        assert parameter.grad.isfinite().all(), parameter_name


def test_a_crf_is_invariant_and_gets_gradients():
    model = label_model(tag_decoder="crf")
    alone = [scored(model, pad_batch([sentence]))[0] for sentence in SENTENCES]
    together = scored(model, pad_batch(SENTENCES, left=True, extra=3))
    for (_, labels), (_, expected) in zip(together, alone):
        assert torch.equal(labels, expected)
    loss_of(model, model(pad_batch(SENTENCES))).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name


@pytest.mark.parametrize("options", [*DECODERS.values(), {"encoder_embedder": "char-rnn"}])
@pytest.mark.parametrize("left", [False, True])
def test_words_are_labelled_and_their_end_is_not(options, left):
    model = label_model(**options)
    batch = pad_batch(["two  words", "one", ""], left=left)
    output = model(batch)
    assert output["scores"].shape == (3, 3, 3)
    assert output["states"].shape == (3, 3, 32)
    assert output["is_word"].tolist() == [
        [True, True, False],
        [True, False, False],
        [False, False, False],
    ]
    labels = model.decode(output)
    assert labels.eq(NO_LABEL).tolist() == (~output["is_word"]).tolist()
    probabilities = model.log_probabilities(output).exp().sum(-1)
    assert torch.allclose(probabilities, torch.ones(3, 3), atol=1e-5)


@torch.no_grad()
def test_a_sentence_is_the_mean_over_its_words():
    model = label_model("byte_classifier", encoder_embedder="char-rnn")
    output = model(pad_batch(["a b c", ""]))
    states = output["states"]
    expected = torch.stack([states[0, :3].mean(0), states[1, 0]])  # or its </s>
    assert torch.allclose(output["scores"], model.head(expected), atol=1e-6)
    assert torch.equal(model.decode(output), output["scores"].argmax(-1))
    assert torch.allclose(model.log_probabilities(output), output["scores"].log_softmax(-1))


@torch.no_grad()
def test_features_stand_beside_the_mean():
    model = label_model("byte_classifier", task=LabelTask(num_features=2))
    batch, features = pad_batch(["a"]), torch.tensor([[3.0, 5.0]])
    difference = model(batch, features=features)["scores"]
    difference = difference - model(batch, features=0 * features)["scores"]
    assert torch.allclose(difference, features @ model.head.weight[:, -2:].T, atol=1e-5)


@pytest.mark.parametrize("fusion", FUSION_OPTIONS.values(), ids=FUSION_OPTIONS)
@torch.no_grad()
def test_its_encoder_is_that_of_a_translation_model(fusion):
    model, translation = label_model(**fusion), build_model(**fusion)
    model.encoder.load_state_dict(translation.encoder.state_dict(), strict=True)
    batch = pad_batch(SENTENCES)
    found, expected = (m.encoder(batch)["encoder_out"][0] for m in (model, translation))
    assert torch.equal(found, expected)


@pytest.mark.parametrize("name", MODELS)
def test_the_preset_of_hit(name):
    args = Namespace(encoder_layers=1)
    ARCH_CONFIG_REGISTRY[f"{name}_hit"](args)
    options = complete(MODELS[name].CONFIG, args)
    assert (options.encoder_embedder, options.mixture, options.mixture_composer) == (
        *("mixture", "sum", "hit"),
    )
    assert options.encoder_attention == options.hit_attention == "fused"
    assert options.encoder_layers == 1  # flags win
    widths = (options.encoder_embed_dim, options.encoder_ffn_embed_dim)
    assert (*widths, options.encoder_attention_heads) == (128, 128, 8)


WRONG = {
    "idle pooling": (
        {"encoder_embedder": "char-rnn", "word_pooling": "first"},
        "--word-pooling first does nothing with --encoder-embedder char-rnn, which gives",
    ),
    "fusion": (
        {"encoder_type": "lstm", "encoder_fusion": "ncf"},
        "--encoder-fusion ncf stands between layers of a Transformer: with --encoder-type",
    ),
    "odd": (
        {"encoder_type": "lstm", "encoder_embed_dim": 33, "encoder_attention_heads": 1},
        "--encoder-embed-dim 33 must be even with --encoder-type lstm",
    ),
    "no layer": (
        {"encoder_type": "lstm", "encoder_layers": 0},
        "--encoder-layers 0 must be at least 1",
    ),
    "positions": (
        {"encoder_type": "lstm", "encoder_learned_pos": True},
        "--encoder-learned-pos does nothing with --encoder-type lstm: drop either",
    ),
    "fused attention": (
        {"encoder_type": "lstm", "encoder_attention": "fused"},
        "--encoder-attention fused does nothing with --encoder-type lstm",
    ),
    "attention": (
        {"encoder_type": "lstm", "attention_dropout": 0.2},
        "--attention-dropout 0.2 does nothing with --encoder-type lstm",
    ),
    "one-hot": ({"encoder_embedder": "one-hot"}, "raise --encoder-embed-dim from 32"),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_options_that_contradict_each_other(name, options, message):
    with pytest.raises(ValueError, match=message):
        label_model(name, **options)


def test_it_is_built_for_the_symbols_of_its_task():
    assert len(ByteDictionary()) == label_model().encoder.embed_tokens.num_embeddings
