"""Tasks of labelled text: their data sets, labels and vocabularies."""

import logging
from argparse import Namespace

import pytest
import torch
from omegaconf import OmegaConf

from fairseq_bytefusion.text.labelled_lines import NO_LABEL

from ..helpers import write_labels
from .running import batches, ids, label_task

KINDS = ("tagging", "classification")
ONE = [([("kal", "O"), ("alarm", "B-X"), ("laga", "I-X")], "yes")]
MORE = [*ONE, ([("x", "O")], "no"), ([("दुनिया", "B-X"), ("a", "O")], "yes")]


@pytest.fixture
def data(tmp_path):
    for split in ("train", "valid", "test"):
        write_labels(tmp_path, split, MORE)
    return tmp_path


def loaded(kind, data, split="train", **options):
    task = label_task(kind, data, **options)
    task.load_dataset(split)
    return task


@pytest.mark.parametrize("left", [False, True])
def test_labels_of_words_lie_on_the_right(data, left):
    task = loaded("tagging", data, left_pad_source=left)
    assert task.labels == ["B-X", "I-X", "O"]
    assert task.label_counts == [2, 1, 3]
    (batch,) = batches(task, "train")
    by_id = dict(zip(batch["id"].tolist(), batch["target"].tolist()))
    n = NO_LABEL
    assert by_id == {0: [2, 0, 1, n], 1: [2, n, n, n], 2: [0, 2, n, n]}
    assert (batch["net_input"]["src_tokens"][-1, 0] == 1) == left
    assert batch["ntokens"] == sum(batch["net_input"]["src_lengths"].tolist())
    assert task.dictionary.string(task.dataset("train")[2]["source"]) == "दुनिया a"


@pytest.mark.parametrize("options", [{"num_batch_buckets": 2}, {"source_unit": "char"}])
def test_words_and_labels_are_as_many(label_data, options):
    task = loaded("tagging", label_data, **options)
    dataset = task.dataset("train")
    for i in range(len(dataset)):
        sample = dataset[i]
        assert len(sample["labels"]) == task.count_words(sample["source"]) + 1


def test_a_label_a_sentence(data):
    task = loaded("classification", data)
    assert task.labels == ["no", "yes"]
    (batch,) = batches(task, "train")
    assert dict(zip(batch["id"].tolist(), batch["target"].tolist())) == {0: 1, 1: 0, 2: 1}
    assert task.num_features == 0
    assert "features" not in batch["net_input"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_label_that_training_lacks(data, kind, caplog):
    write_labels(data, "valid", [([("kal", "B-NEW"), ("do", "NEW"), ("x", "O")], "maybe")])
    with caplog.at_level(logging.WARNING):
        task = loaded(kind, data, "valid")
    told = {"tagging": "2 of 3 labels are not in the training data (B-NEW, NEW): each c"}
    other = "valid.tsv: 1 of 1 labels are not in the training data (maybe): each counts"
    assert told.get(kind, other) in caplog.text
    target = task.dataset("valid")[0]["labels"].tolist()
    if kind == "tagging":
        assert target == [3, 4, 2, NO_LABEL]
        assert [task.label_name(i) for i in target[:3]] == ["B-NEW", "NEW", "O"]
    else:
        assert target == 2
        assert task.label_name(2) == "maybe"
    assert len(task.labels) == (3 if kind == "tagging" else 2)


def test_over_long_sentences_are_cut_behind_a_word_and_counted(data, caplog):
    words = [(f"w{i}", "O") for i in range(10_000)]
    giant = [("y" * 99, "B-X"), ("z", "O")]
    write_labels(data, "train", [*MORE, (words, "no"), (giant, "no")])
    with caplog.at_level(logging.WARNING):
        task = loaded("tagging", data, max_source_positions=50)
    dataset = task.dataset("train")
    text = task.dictionary.string(dataset[3]["source"])
    assert text == " ".join(f"w{i}" for i in range(15))
    assert len(dataset[3]["labels"]) == 16
    # A word that is too long itself is cut.
    assert task.dictionary.string(dataset[4]["source"]) == "y" * 49
    assert dataset[4]["labels"].tolist() == [0, NO_LABEL]
    path = data / "train.conll"
    assert f"{path}: 2 of 5 sentences have more than 49 bytes and are cut" in caplog.text
    assert f"{path}: 9986 words of sentences that are cut, and their labels" in caplog.text
    assert sorted(ids(batches(task, "train", max_positions=50))) == [0, 1, 2, 3, 4]


def test_a_cut_at_the_very_limit(data):
    write_labels(data, "train", [([("abc", "O"), ("de", "B-X"), ("f", "I-X")], "no")])
    for limit, text, labels in ((7, "abc de", 2), (6, "abc", 1), (9, "abc de f", 3)):
        task = loaded("tagging", data, max_source_positions=limit)
        sample = task.dataset("train")[0]
        assert task.dictionary.string(sample["source"]) == text
        assert len(sample["labels"]) == labels + 1


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("ab cd ef", "ab cd"),
        ("ab  cd ef", "ab "),
        ("abcdefgh", "abcde"),
        ("   abcdefgh", "   ab"),
        ("a \tbcdefg", "a "),
        ("ab cde", "ab"),
        ("ab cd", "ab cd"),
        ("नमस्ते", "न"),
    ],
)
def test_texts_of_any_spaces_are_cut(data, text, cut):
    (data / "train.tsv").write_text(f"{text}\tyes\na\tno\n")
    task = loaded("classification", data, max_source_positions=6)
    assert task.dictionary.string(task.dataset("train")[0]["source"]) == cut


@pytest.mark.parametrize("kind", KINDS)
def test_a_criterion_of_something_else_is_refused(data, kind):
    task, own = label_task(kind, data), f"byte_{kind}"
    average = {"cross_entropy": {"sentence_avg": False}}
    assert task.build_criterion(OmegaConf.create({"_name": own})).task is task
    for name in {"cross_entropy", *(f"byte_{k}" for k in KINDS)} - {own}:
        cfg = OmegaConf.create({"_name": name, **average.get(name, {})})
        with pytest.raises(ValueError, match=f"{own} learns with --criterion {own}: give"):
            task.build_criterion(cfg)


def test_training_drops_what_has_no_text(data, caplog):
    (data / "train.tsv").write_text("\tyes\na\tno\n")
    with caplog.at_level(logging.WARNING):
        task = loaded("classification", data)
        assert ids(batches(task, "train")) == [1]
    assert "1 of 2 sentences dropped: no text" in caplog.text
    (data / "valid.tsv").write_text("\tyes\na\tno\n")
    task.load_dataset("valid")
    assert ids(batches(task, "valid")) == [0, 1]


REFUSED = {
    "one label": ("tagging", "a\tO\n", {}, "train.conll: one label only, O: there is not"),
    "one class": ("classification", "a\tO\n", {}, "train.tsv: one label only, O: there"),
    "a missing column": ("tagging", "a\tO\nb\n", {}, "train.conll, line 2: 1 column, wh"),
    "an empty file": ("tagging", "", {}, "train.conll holds no word"),
    "an empty table": ("classification", "", {}, "train.tsv has no lines"),
}


@pytest.mark.parametrize(
    ("kind", "content", "options", "message"), REFUSED.values(), ids=REFUSED
)
def test_training_data_that_is_refused(tmp_path, kind, content, options, message):
    for ending in ("conll", "tsv"):
        (tmp_path / f"train.{ending}").write_text(content)
    with pytest.raises(ValueError, match=message):
        loaded(kind, tmp_path, **options)


WRONG = {
    "the word": ("tagging", {"label_column": 1}, "--label-column 1 must be at least 2"),
    "no column": ("classification", {"label_column": 0}, "--label-column 0 must be at lea"),
    "no text": ("classification", {"text_column": 0}, "--text-column 0 must be at lea"),
    "one for both": ("classification", {"text_column": 2}, "are both 2: change one"),
    "idle": ("classification", {"tfidf_features": 9}, "features 9 does nothing without"),
    "none": ("classification", {"tfidf_features": 0}, "--tfidf-features 0 must be at lea"),
    "pieces": ("tagging", {"source_unit": "sentencepiece"}, "choose byte or char"),
    "no space": ("tagging", {"source_unit": "char"}, "dict.char.txt lacks the space"),
}


@pytest.mark.parametrize(("kind", "options", "message"), WRONG.values(), ids=WRONG)
def test_options_that_cannot_be(data, monkeypatch, kind, options, message):
    (data / "dict.char.txt").write_text("a 1\n")
    if options.get("source_unit") == "sentencepiece":
        pieces = Namespace(spaces_apart=False, unit="sentencepiece")
        monkeypatch.setattr(
            "fairseq_bytefusion.tasks.shared.labelling.load_dictionary", lambda *_: pieces
        )
    with pytest.raises(ValueError, match=message):
        label_task(kind, data, **options)


def test_files_that_are_not_there(data):
    (data / "valid.conll").rename(data / "valid.conll.gz")
    message = r"no such file: .*valid.conll; of files named .conll .* holds test.conll, tra"
    with pytest.raises(FileNotFoundError, match=message) as error:
        loaded("tagging", data, "valid")
    assert "valid.conll.gz is compressed: unpack it" in str(error.value)
    with pytest.raises(FileNotFoundError, match="no such data directory: .*nowhere"):
        loaded("tagging", data / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"dict\.char\.txt, .* --labels --kinds ch"):
        label_task("tagging", data, source_unit="char")
    message = r"no such file: .*dict\.word\.txt, the words that"
    with pytest.raises(FileNotFoundError, match=message):
        label_task("tagging", data).source_words()


def test_shards_have_the_labels_of_all(data, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    write_labels(other, "train", [([("a", "Z")], "z")])
    task = label_task("tagging", f"{data}:{other}")
    assert task.labels == ["B-X", "I-X", "O", "Z"]
    task.load_dataset("train", epoch=2)
    assert task.dataset("train")[0]["labels"].tolist() == [3, NO_LABEL]


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_knows_the_labels(data, kind):
    (data / "dict.word.txt").write_text("kal 2\nx 1\n")
    options = {"tfidf": True, "tfidf_features": 7} if kind == "classification" else {}
    training = label_task(kind, data, **options)
    assert training.source_words() == [b"kal", b"x"]
    state = training.state_dict()
    tensors = [*state.values(), *state.get("tfidf", {}).values()]
    assert {type(value) for value in tensors} <= {torch.Tensor, list, dict}
    task = label_task(kind, data / "gone", **options)
    task.load_state_dict(state)
    assert task.labels == training.labels
    assert task.label_counts == training.label_counts
    assert task.source_words() == [b"kal", b"x"]
    task.check_restored(state)
    if options:
        texts = ["kal alarm", "", "something else"]
        found, expected = (t.features_of(texts)([0, 1, 2]) for t in (task, training))
        assert torch.equal(found, expected)


def test_ids_are_those_of_the_labels_that_were_loaded(data):
    task, other = label_task("tagging", data), label_task("classification", data)
    assert task.label_id("O") == 2
    task.load_state_dict({**task.state_dict(), **other.state_dict()})
    assert [task.label_id(label) for label in ("no", "yes", "O")] == [0, 1, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_training_does_not_go_on_with_other_labels(data, kind):
    state = label_task(kind, data).state_dict()
    write_labels(data, "train", [*MORE, ([("kal", "NEW")], "new")])
    message = r"other labels than those of the training data \((NEW|new)\)"
    with pytest.raises(ValueError, match=message):
        label_task(kind, data).check_restored(state)


def test_training_does_not_go_on_with_other_n_grams(data):
    options = {"tfidf": True, "tfidf_features": 7}
    state = label_task("classification", data, **options).state_dict()
    write_labels(data, "train", [*MORE, ([("quite", "O"), ("different", "O")], "yes")])
    with pytest.raises(ValueError, match="the n-grams of --tfidf are not those"):
        label_task("classification", data, **options).check_restored(state)


def test_models_of_other_labels_are_no_ensemble(data):
    task = label_task("tagging", data)
    state = task.state_dict()
    task._has_model = True
    task.load_state_dict(state)
    state["labels"] = state["labels"][2:]
    with pytest.raises(ValueError, match="it has other labels than the model before it"):
        task.load_state_dict(state)


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_no_text_to_generate(data, kind):
    message = f"of the task byte_{kind} writes labels, not text: use bytefusion predict"
    with pytest.raises(ValueError, match=message):
        label_task(kind, data).build_generator([], Namespace())
