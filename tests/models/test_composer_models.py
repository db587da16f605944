import pytest
import torch
from fairseq.sequence_generator import SequenceGenerator

from fairseq_bytefusion.models.options import EncoderOptions, complete

from ..helpers import SENTENCES, DictionaryTask, build_model, model_args, pad_batch
from .systems import COMPOSER_OPTIONS, ENCODERS


@pytest.mark.parametrize("name", COMPOSER_OPTIONS)
def test_encoder_of_words(name):
    model = build_model(**ENCODERS[name])
    batch = pad_batch(["two  words", "one", ""], left=True)
    memory = model.encoder(batch, return_all_hiddens=True)
    assert memory["encoder_padding_mask"][0].tolist() == [
        [False, False, False],
        [False, False, True],
        [False, True, True],
    ]
    assert memory["src_lengths"][0].tolist() == [[3], [2], [1]]
    assert {s.shape[:2] for s in memory["encoder_states"]} == {(3, 3)}
    positions = model.encoder.embed_positions
    x, embedded, _ = model.encoder.forward_embedding(batch)
    assert torch.allclose((x - embedded)[0], positions.weights[2:5], atol=1e-6)
    weights = model.decoder(batch, memory, alignment_layer=1)[1]["attn"][0]
    assert (weights[1, :, 2:] == 0).all()
    assert (weights[2, :, 1:] == 0).all()


@pytest.mark.parametrize("name", COMPOSER_OPTIONS)
def test_beams_over_words_do_not_depend_on_the_batch(name):
    model = build_model(**ENCODERS[name])
    generator = SequenceGenerator(
        [model], DictionaryTask().target_dictionary, beam_size=3, max_len_b=12
    )

    def beams(batch):
        sample = {"net_input": {"src_tokens": batch, "src_lengths": (batch != 1).sum(1)}}
        found = generator.generate([model], sample)
        return [[(h["tokens"].tolist(), h["score"]) for h in beam] for beam in found]

    together = beams(pad_batch(SENTENCES, left=True))
    for sentence, beam in zip(SENTENCES, together):
        (alone,) = beams(pad_batch([sentence]))
        for (tokens, score), (expected, expected_score) in zip(beam, alone):
            assert tokens == expected
            assert abs(score - expected_score) <= 1e-4


@pytest.mark.parametrize("name", COMPOSER_OPTIONS)
def test_state_dicts_of_composers_load(name):
    first, second = (build_model(seed=seed, **ENCODERS[name]) for seed in (1, 2))
    second.load_state_dict(first.state_dict(), strict=True)
    batch = pad_batch(SENTENCES)
    with torch.no_grad():
        assert torch.equal(first(batch, None, batch)[0], second(batch, None, batch)[0])


@pytest.mark.parametrize("name", COMPOSER_OPTIONS)
def test_composers_are_not_scaled(name):
    options = ENCODERS[name]
    plain, unscaled = (
        build_model(**options),
        build_model(no_scale_embedding=True, **options),
    )
    batch = pad_batch(["a b"])
    assert torch.equal(*(m.encoder.embed_tokens(batch)[0] for m in (plain, unscaled)))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"encoder_embedder": "char2subword"}, 256),
        ({"encoder_embedder": "char-rnn"}, 50),
        ({"encoder_embedder": "hit"}, 128),
        ({"encoder_embedder": "words"}, None),
        ({"encoder_embedder": "char-cnn"}, 15),
        ({"encoder_embedder": "char-cnn", "char_cnn_filters": "elmo"}, 16),
        ({"encoder_embedder": "char-cnn", "char_cnn_filters": "1:5"}, 15),
        ({"encoder_embedder": "char-cnn", "char_embed_dim": 7}, 7),
        ({"encoder_embedder": "mixture", "mixture_composer": "char-rnn"}, 50),
        ({}, None),
    ],
)
def test_width_of_character_embeddings(options, expected):
    assert complete(EncoderOptions, model_args(**options)).char_embed_dim == expected
