"""Taggers and classifiers from Python."""

import shutil

import pytest
import torch

from fairseq_bytefusion.generation import LABELLERS, ByteClassifier, ByteTagger
from fairseq_bytefusion.generation.labeller import load_labeller

from ..helpers import REPO, train_labels
from ..models.systems import ENCODERS
from .labellers import labeller

TEXTS = [
    *("kal subah 7 baje alarm laga do", "", "alarm", "   ", "\tmausam  kaisa ", "дождь"),
    *("caf\udce9 kal", "</s> <pad>", "\u00a0a\u2028b"),
]
WORDS = [
    ["kal", "subah", "7", "baje", "alarm", "laga", "do"],
    *([], ["alarm"], [], ["mausam", "kaisa"], ["дождь"], ["caf\udce9", "kal"]),
    *(["</s>", "<pad>"], ["\u00a0a\u2028b"]),
]
SYSTEMS = ("dense none", "one-hot none", "char-cnn", "mixture", "hybrid", "dense wsf")
WIDE = {"encoder_embed_dim": 264, "encoder_ffn_embed_dim": 16}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_word_has_a_label_whatever_is_beside_it(label_data, system):
    options = {**WIDE, **ENCODERS[system]}
    tagger = labeller("tagging", label_data, **options)
    together = tagger.tag(TEXTS, progress=False)
    alone = [tagger.tag([text], batch_size=1, progress=False)[0] for text in TEXTS]
    for found, same, words in zip(together, alone, WORDS):
        assert list(found.words) == words
        assert found.labels == same.labels and len(found.labels) == len(words)
        assert set(found.labels) <= set(tagger.labels)
        assert found.scores == pytest.approx(same.scores, abs=1e-4)
        assert all(1 / len(tagger.labels) <= score <= 1 for score in found.scores)


@pytest.mark.parametrize("options", [{}, {"encoder_type": "lstm"}])
def test_a_sentence_has_a_label(label_data, options):
    classifier = labeller("classification", label_data, **options)
    together = classifier.classify(TEXTS, progress=False)
    alone = [classifier.classify([text], progress=False)[0] for text in TEXTS]
    for text, found, same, words in zip(TEXTS, together, alone, WORDS):
        assert found.text == text
        assert found.label == same.label
        if not words:
            assert (found.label, found.score, found.probabilities) == (None, None, {})
            continue
        assert found.score == pytest.approx(same.score, abs=1e-4)
        assert list(found.probabilities)[0] == found.label
        assert found.probabilities[found.label] == found.score
        assert sum(found.probabilities.values()) == pytest.approx(1)
        assert set(found.probabilities) == {"yes", "no"}


def test_the_best_labels_together_are_those_of_a_crf(label_data):
    pytest.importorskip("torchcrf")
    tagger = labeller("tagging", label_data, tag_decoder="crf")
    start = tagger.model.head.crf.start_transitions
    start.data[:] = torch.tensor([9.0 * (name == "I-THING") for name in tagger.labels])
    found = tagger.tag(["kal kal"], progress=False)[0]
    assert found.labels[0] == "I-THING"
    assert found.scores[0] > 0.9


def test_nothing_at_all(label_data):
    assert labeller("tagging", label_data).tag([], progress=False) == []
    assert labeller("classification", label_data).classify([""])[0].label is None


@pytest.mark.parametrize(
    "words", [[6] * 5, [3, 2, 9, 8], [30, 1, 1], [9] * 4, [4] * 4, [10]]
)
def test_a_long_sentence_is_labelled_in_parts(label_data, caplog, words):
    """The model reads 10 symbols, </s> included: 9 of words and spaces."""
    limit = {"max_source_positions": 10}
    tagger = labeller("tagging", label_data, task_options=limit)
    words = ["abcdefghijklmnopqrstuvwxyzabcd"[:length] for length in words]
    parts = tagger._parts(words)
    assert [word for part in parts for word in part] == words
    assert all(len(part) == 1 or len(" ".join(part)) <= 9 for part in parts)
    for part, after in zip(parts, parts[1:]):
        assert len(" ".join([*part, after[0]])) > 9  # as few parts as can be
    (found,) = tagger.tag([" ".join(words)], progress=False)
    assert found.words == tuple(words) and len(found.labels) == len(words)
    if len(parts) > 1:
        assert (
            "more than 9 bytes are cut between words and labelled in parts" in caplog.text
        )
        assert f"1 sentences in {len(parts)} parts" in caplog.text
    apart = [label for p in parts for label in tagger.tag([" ".join(p)])[0].labels]
    assert list(found.labels) == apart


def test_a_long_sentence_is_cut_and_has_a_label(label_data, caplog):
    limit = {"max_source_positions": 10}
    classifier = labeller("classification", label_data, task_options=limit)
    (found,) = classifier.classify(["alarm laga do"], progress=False)
    assert found.text == "alarm laga do" and found.label in ("yes", "no")
    assert (
        "1 of 1 sentences have more than 9 bytes and are cut behind a word" in caplog.text
    )


@pytest.mark.parametrize(
    ("sentences", "batch_size", "message"),
    [
        ("a", 1, "a list of str is needed"),
        ([1], 1, "sentence 0 must be str"),
        (["a\nb"], 1, "sentence 0 has a line end within it"),
        (["a"], 0, "batch_size must be at least 1"),
        (["a"], 1.5, "batch_size must be a whole number"),
    ],
)
def test_mistakes_are_told(label_data, sentences, batch_size, message):
    tagger = labeller("tagging", label_data)
    classifier = labeller("classification", label_data)
    for label in (tagger.tag, classifier.classify):
        with pytest.raises((TypeError, ValueError), match=message):
            label(sentences, batch_size=batch_size)


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("kal", "sentence 1 must be a list of words, not str"),
        ([b"kal"], "sentence 1: a word must be str, not bytes: b'kal'"),
        *(([w], f"sentence 1: {w!r} is no word: it is empty or") for w in ("", "a b", " ")),
        (["a\nb"], r"sentence 1: 'a\\nb' is no word"),
    ],
)
def test_words_that_are_none_are_told(label_data, sentence, message):
    with pytest.raises((TypeError, ValueError), match=message):
        labeller("tagging", label_data).tag_words([["kal"], sentence])


@pytest.fixture(scope="module")
def trained(label_data, tmp_path_factory):
    """Checkpoints whose data is gone, but for the vocabulary beside one."""
    folder = tmp_path_factory.mktemp("labelled")
    data = shutil.copytree(label_data, folder / "data")
    flags = ("--max-update", "3", "--disable-validation")
    mixture = (
        *("--encoder-embedder", "mixture", "--mixture-composer", "char-rnn"),
        *("--char-rnn-hidden-dim", "8", "--source-unit", "char"),
    )
    train_labels("tagging", data, folder / "tagging", *flags, *mixture)
    train_labels("classification", data, folder / "classification", *flags)
    shutil.copy(data / "dict.char.txt", folder / "tagging")
    shutil.rmtree(data)
    return folder


def test_a_checkpoint_is_enough(trained):
    for kind, kind_class in (("tagging", ByteTagger), ("classification", ByteClassifier)):
        found = kind_class.from_pretrained(trained / kind, device="cpu")
        again = load_labeller(trained / kind / "checkpoint_last.pt", LABELLERS)
        assert type(again) is kind_class
        assert found.labels == again.labels
        assert not found.model.training
    assert found.labels == ["no", "yes"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gone.pt", "no such file: .*gone.pt"),
        ("nothing", "no such file: .*checkpoint_best.pt, nor .*checkpoint_last.pt"),
        ("tagging", "of the task byte_tagging: only a model of the task byte_classificati"),
        (
            "{0}/classification/checkpoint_last.pt:{0}/classification/checkpoint_last.pt",
            "labels come from one model, not from an ensemble",
        ),
    ],
)
def test_a_wrong_path_is_told(trained, path, message):
    (trained / "nothing").mkdir(exist_ok=True)
    path = path.format(trained) if "{0}" in path else trained / path
    with pytest.raises((OSError, ValueError), match=message):
        ByteClassifier.from_pretrained(path)


def test_a_translation_model_labels_nothing(label_data):
    path = REPO / "tests/old_checkpoints/dense.pt"
    with pytest.raises(
        ValueError, match="only models of the tasks byte_tagging and byte_cl"
    ):
        load_labeller(path, LABELLERS)


def test_the_vocabulary_is_looked_for(trained, tmp_path):
    path = shutil.copy(trained / "tagging" / "checkpoint_last.pt", tmp_path)
    with pytest.raises(FileNotFoundError, match="the model needs dict.char.txt, and"):
        ByteTagger.from_pretrained(path)
    ByteTagger.from_pretrained(path, data=trained / "tagging")
