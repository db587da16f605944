"""Taggers and classifiers on a pre-trained encoder."""

import pytest
import torch

transformers = pytest.importorskip("transformers")

from fairseq_bytefusion.data.hugging_face import read_layers, read_parts  # noqa: E402
from fairseq_bytefusion.modules.pretrained import PretrainedParts  # noqa: E402
from fairseq_bytefusion.text import ByteDictionary, load_dictionary  # noqa: E402

from ..helpers import pad_batch  # noqa: E402
from ..oracles.pretrained import vectors_of  # noqa: E402
from .labelling import LabelTask, label_model  # noqa: E402
from .test_labelling_models import loss_of, scored  # noqa: E402

CHAR2SUBWORD = {
    "encoder_embedder": "char2subword",
    "char_embed_dim": 16,
    "char2subword_layers": 1,
}
CHAR_RNN = {"encoder_embedder": "char-rnn", "char_rnn_hidden_dim": 8}
MODES = {
    "pieces": {"pretrained_input": "pieces"},
    "full": {"pretrained_input": "full", **CHAR2SUBWORD},
    "hybrid": {"pretrained_input": "hybrid", **CHAR2SUBWORD},
    "hybrid char-rnn": {"pretrained_input": "hybrid", **CHAR_RNN},
}
SENTENCES = [
    "kal Subah alarm, laga do",
    "unbelievable day",
    "",
    "a",
    "Привет мир",
    "   ",
    "kal  do ",
    "x" * 60,
]
every_mode = pytest.mark.parametrize("options", MODES.values(), ids=MODES)
every_model = pytest.mark.parametrize("name", ["byte_tagger", "byte_classifier"])


@pytest.fixture(scope="module")
def parts(small_bert):
    return PretrainedParts(**read_parts(str(small_bert)))


@pytest.fixture(scope="module")
def build(small_bert, parts):
    weights = read_layers(str(small_bert))

    def build(name="byte_tagger", **options):
        task = LabelTask()
        task.pretrained = parts
        options = {"encoder_type": "pretrained", "pretrained": "DIR", **options}
        model = label_model(name, task=task, **options)
        model.encoder.load_layers(weights)
        return model

    return build


@every_mode
@torch.no_grad()
def test_states_are_those_of_hugging_face_word_by_word(small_bert, build, options):
    model = build(**options)
    tokenizer = transformers.AutoTokenizer.from_pretrained(small_bert)
    bert = transformers.BertModel.from_pretrained(small_bert).eval()
    table = bert.get_input_embeddings().weight
    mode, composer = options["pretrained_input"], model.encoder.embed_tokens.composer
    sentences = [s for s in SENTENCES if s.strip()]
    for left in (False, True):
        output = model(pad_batch(sentences, left=left, extra=2))
        for b, sentence in enumerate(sentences):
            words = sentence.split()
            ending = sentence != sentence.rstrip()  # white space is a word of its own
            vectors, first = vectors_of(
                *([*words, " "] if ending else words, mode, tokenizer, table),
                *(composer, ByteDictionary()),
            )
            states = bert(inputs_embeds=vectors.unsqueeze(0)).last_hidden_state[0]
            found = output["states"][b][~output["padding_mask"][b]]
            assert (found - states[first]).abs().max() <= 1e-5


@torch.no_grad()
def test_pieces_are_what_hugging_face_makes_of_a_sentence(small_bert, build):
    model = build()
    tokenizer = transformers.AutoTokenizer.from_pretrained(small_bert)
    bert = transformers.BertModel.from_pretrained(small_bert).eval()
    sentence = "Kal, alarm laga do"
    encoded = tokenizer(sentence, return_tensors="pt")
    states = bert(**encoded).last_hidden_state[0]
    words = encoded.word_ids(0)
    # BERT has a word of its own for the comma, here it belongs to the first word.
    first = [words.index(k) for k in (0, 2, 3, 4)]
    found = model(pad_batch([sentence]))["states"][0]
    assert torch.allclose(found, states[[*first, -1]], atol=1e-5)


@every_model
@every_mode
def test_batch_invariance(build, name, options):
    model = build(name, **options)
    alone = [scored(model, pad_batch([sentence]))[0] for sentence in SENTENCES]
    for left in (False, True):
        together = scored(model, pad_batch(SENTENCES, left=left, extra=3))
        for (ours, labels), (expected, expected_labels) in zip(together, alone):
            assert ours.shape == expected.shape
            assert (ours - expected).abs().max() <= 1e-5
            assert torch.equal(labels, expected_labels)


@every_model
@every_mode
def test_every_parameter_gets_a_gradient(build, name, options):
    model = build(name, **options).train()
    batch = torch.cat([pad_batch(SENTENCES), torch.ones(1, 61, dtype=torch.long)])
    loss_of(model, model(batch)).backward()
    for parameter_name, parameter in model.named_parameters():
        assert parameter.grad is not None, parameter_name
        assert parameter.grad.isfinite().all(), parameter_name


def test_full_keeps_the_rows_of_what_is_no_word_alone(small_bert, build, parts):
    table = transformers.BertModel.from_pretrained(small_bert).get_input_embeddings()
    full, hybrid = (build(**MODES[mode]).encoder for mode in ("full", "hybrid"))
    kept = [parts.special[name] for name in ("cls", "sep", "pad")]
    assert torch.equal(full.table.weight, table.weight[kept])
    assert torch.equal(hybrid.table.weight, table.weight)
    assert full.table_name == "layers.embeddings.word_embeddings.weight"


@pytest.mark.parametrize(
    ("mode", "text", "expected"),
    [
        ("pieces", " ".join(["kal"] * 22), 22),
        ("pieces", " ".join(["kal"] * 23), 22),
        ("pieces", " ".join(["kal,"] * 23), 11),
        ("full", " ".join(["kal,"] * 23), 22),
        ("hybrid", " ".join(["kal,"] * 22), 22),
        ("hybrid", "  " + " ".join(["kal,"] * 40), 22),
        ("full", "kal " * 22, 22),  # and no room for the white space behind it
        ("pieces", "a,b,c," * 20, 1),
    ],
)
def test_what_is_too_long_is_cut_behind_a_word(build, mode, text, expected):
    model = build(**MODES[mode])
    dictionary, embedder = ByteDictionary(), model.encoder.embed_tokens
    ids = dictionary.encode_line(text)
    cut = embedder.shorten(ids)
    kept = dictionary.decode(cut)
    assert text.startswith(kept)
    assert len(kept.split()) == expected
    assert cut[-1] == dictionary.eos()
    if kept != text:
        assert not kept.endswith(" ")
    states = model(cut.long().unsqueeze(0))["states"]
    assert states.shape[1] == expected + 1


def test_words_that_are_cut_are_counted(build):
    model = build(**MODES["full"], max_word_chars=8)
    model(pad_batch(["x" * 9, "x" * 8]))
    assert model.encoder.embed_tokens.composer.num_cut == 1


WRONG = [
    ({"pretrained": None}, "--encoder-type pretrained needs --pretrained DIR"),
    ({"encoder_embedder": "char-rnn"}, "does nothing with --pretrained-input pieces"),
    (
        {"pretrained_input": "full"},
        "--pretrained-input full composes words: give --encoder-embedder char2subword or",
    ),
    (
        {"pretrained_input": "hybrid", "encoder_embedder": "mixture"},
        r"hybrid composes words: .*\(now mixture\)",
    ),
    ({"encoder_fusion": "ncf"}, "stands between layers of a Transformer: with --encoder-t"),
    ({"encoder_attention": "fused"}, "--encoder-attention fused does nothing with --enco"),
    ({"layernorm_embedding": True}, "--layernorm-embedding does nothing with --encoder-t"),
    (
        {"attention_dropout": 0.1},
        "--attention-dropout 0.1 does nothing with --pretrained-i",
    ),
    ({"word_pooling": "last"}, "--word-pooling last does nothing with --encoder-type pre"),
    (
        {"encoder_type": "lstm"},
        "--pretrained DIR does nothing with --encoder-type lstm: drop it, or give --enc",
    ),
    (
        {"encoder_type": "transformer", "pretrained": None, "pretrained_input": "full"},
        "--pretrained-input full does nothing with --encoder-type transformer",
    ),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_options_that_contradict_each_other_are_refused(build, options, message):
    with pytest.raises(ValueError, match=message):
        build(**options)


def test_characters_are_refused(parts, label_data):
    task = LabelTask()
    task.pretrained = parts
    task.source_dictionary = load_dictionary("char", str(label_data))
    options = {"encoder_type": "pretrained", "pretrained": "DIR"}
    with pytest.raises(ValueError, match="reads words as bytes: drop --source-unit char"):
        label_model(task=task, **options)
