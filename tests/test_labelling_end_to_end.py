"""Tagging and classification by fairseq's own commands."""

import re
import shutil

import pytest
import torch

from fairseq_bytefusion import cli
from fairseq_bytefusion.evaluation.labelling_scores import scores_from_confusion
from fairseq_bytefusion.evaluation.spans import span_scores

from .helpers import TRAIN_FLAGS, failing, fairseq, train_labels
from .test_end_to_end import assert_same_parameters, model_of, train_with_two_workers

pytestmark = pytest.mark.long

LAST = "checkpoint_last.pt"
CHAR_RNN = ("--encoder-embedder", "char-rnn", "--char-embed-dim", "16")
MIXTURE = (
    *("--encoder-embedder", "mixture", "--mixture-composer", "char-cnn"),
    *("--char-cnn-filters", "1:8,2:8", "--char-cnn-highway-layers", "1"),
)
SYSTEMS = {
    "tagging bytes": ("tagging", ()),
    "tagging crf": ("tagging", (*CHAR_RNN, "--tag-decoder", "crf")),
    "tagging lstm": (
        "tagging",
        (*MIXTURE, "--encoder-type", "lstm", "--class-weights", "balanced"),
    ),
    "tagging characters": (
        "tagging",
        ("--source-unit", "char", "--encoder-fusion", "ncf", "--word-pooling", "first"),
    ),
    "classification": ("classification", ("--left-pad-source", *CHAR_RNN)),
    "classification tfidf": (
        "classification",
        ("--tfidf", "--tfidf-features", "20", "--encoder-type", "lstm"),
    ),
}
ARCHES = {"tagging": "byte_tagger_tiny", "classification": "byte_classifier_tiny"}
SCORES = {*scores_from_confusion(torch.zeros(2, 1)), "loss"}


def validations(result):
    """list of dict of str to float: what each validation logged."""
    lines = re.findall(r"valid on 'valid' subset \| (.*)", result.stdout.decode())
    return [
        {name: float(value) for name, value in map(str.split, line.split(" | "))}
        for line in lines
    ]


@pytest.mark.parametrize(("kind", "flags"), SYSTEMS.values(), ids=SYSTEMS)
def test_every_system_trains_resumes_averages_and_validates(
    label_data, tmp_path, capsys, kind, flags
):
    data = shutil.copytree(label_data, tmp_path / "data")
    by = ("--best-checkpoint-metric", "macro_f1", "--maximize-best-checkpoint-metric")
    flags = (*flags, *by, "--save-interval-updates", "5", "--dropout", "0.1")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train_labels(kind, data, whole, *flags, "--max-update", "10")
    train_labels(kind, data, parts, *flags, "--max-update", "5")
    resumed = train_labels(kind, data, parts, *flags, "--max-update", "10")
    assert b"checkpoint_last.pt (epoch" in resumed.stdout + resumed.stderr
    assert_same_parameters(whole / LAST, parts / LAST, 0)
    found = validations(resumed)[-1]
    assert found.keys() >= SCORES | {"best_macro_f1"}
    assert ("span_f1" in found) == (kind == "tagging")

    average = tmp_path / "average.pt"
    assert cli.main(["average", str(parts), "--last", "2", "--output", str(average)]) == 0
    capsys.readouterr()
    assert cli.main(["inspect", str(average)]) == 0
    printed = capsys.readouterr().out
    assert re.search(
        r"\n  unit (byte|char)\n  \d labels: (B-THING, I-THING, O|no, yes)", printed
    )
    assert ("lambda of 2-grams" in printed) == ("ncf" in flags)
    for ending in ("conll", "tsv"):  # labels, words and n-grams are in the checkpoint
        (data / f"train.{ending}").unlink()
    (data / "dict.word.txt").unlink()
    for path in (average, parts / LAST):
        result = fairseq(
            "validate", data, "--task", f"byte_{kind}", "--path", path,
            "--max-tokens", "100", "--log-format", "simple",
        )  # fmt: skip
        line = re.findall(r"INFO \| valid \|.*", (result.stdout + result.stderr).decode())
        again = dict(part.split() for part in line[-1].split(" | ")[3:])
        for name in SCORES if path != average else ():
            assert float(again[name]) == pytest.approx(found[name], abs=2e-3), name


@pytest.mark.parametrize(
    ("kind", "flags", "metric"),
    [
        ("tagging", (*CHAR_RNN, "--tag-decoder", "crf"), "span_f1"),
        ("tagging", (), "accuracy"),
        ("classification", CHAR_RNN, "weighted_f1"),
    ],
)
def test_labels_are_learned(label_data, tmp_path, kind, flags, metric):
    by = ("--best-checkpoint-metric", metric, "--maximize-best-checkpoint-metric")
    result = train_labels(
        kind, label_data, tmp_path, *by, *flags, "--max-epoch", "12", "--lr", "0.01"
    )
    assert validations(result)[-1][f"best_{metric}"] > 95


@pytest.mark.parametrize(
    ("kind", "flags"),
    [("tagging", ("--tag-decoder", "crf")), ("classification", ())],
)
def test_two_workers_equal_one(label_data, tmp_path, kind, flags):
    flags = [
        *("--task", f"byte_{kind}", "--criterion", f"byte_{kind}", "--label-smoothing"),
        *(
            "0",
            "--arch",
            "byte_tagger_tiny" if kind == "tagging" else "byte_classifier_tiny",
        ),
        *("--max-update", "6", "--dropout", "0", "--no-epoch-checkpoints"),
        *("--max-tokens", "10000", "--batch-size", "7", "--batch-size-valid", "3"),
        *flags,
    ]
    one = train_labels(kind, label_data, tmp_path / "one", *flags, "--update-freq", "2")
    first, _ = train_with_two_workers(label_data, tmp_path / "two", *flags)
    alone, together = validations(one), validations(first)
    assert len(alone) == len(together) > 1
    for x, y in zip(alone, together):
        for name in {*SCORES, *(n for n in x if n.startswith("span"))}:
            assert x[name] == pytest.approx(y[name], abs=2e-3), name
    assert_same_parameters(tmp_path / "one" / LAST, tmp_path / "two" / LAST, 1e-5)


@pytest.mark.parametrize("encoder", ["transformer", "lstm"])
def test_it_starts_from_an_approximation(label_data, approximation, tmp_path, encoder):
    composer = ("--char-embed-dim", "16", "--char2subword-layers", "1")
    train_labels(
        "tagging", label_data, tmp_path, "--encoder-embedder", "char2subword", *composer,
        "--encoder-type", encoder, "--char2subword-from", approximation,
        "--freeze-composer", "--max-update", "2", "--disable-validation",
    )  # fmt: skip
    found, learned = map(model_of, (tmp_path / LAST, approximation))
    for name, value in learned.items():
        assert torch.equal(found[f"encoder.embed_tokens.{name[len('composer.') :]}"], value)


def test_spans_of_nothing_score_nothing():
    assert set(span_scores((0, 0, 0)).values()) == {0}


MISTAKES = {
    "one label": (
        b"a\tO\n\nb\tO\n",
        (),
        "train.conll: one label only, O: there is",
    ),
    "a missing column": (
        b"a\tO\nb\n",
        (),
        "train.conll, line 2: 1 column, where the",
    ),
    "no such column": (b"a\tO\n", ("--label-column", "3"), "--label-column is 3: tabs"),
    "an empty file": (b"", (), "train.conll holds no word"),
    "UTF-16": ("a\tO\nb\tX\n".encode("utf-16"), (), "train.conll is UTF-16-LE text"),
    "a space": (b"a b\tO\nc\tX\n", (), "line 1: white space inside the word 'a b'"),
    "weights": (None, ("--class-weights", "Q=1"), "--class-weights Q=1: 'Q' is no label"),
    "a crf": (None, ("--tag-decoder", "crf"), "--label-smoothing is of single labels"),
}


@pytest.mark.parametrize(("content", "flags", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_clear_last_line(label_data, tmp_path, content, flags, message):
    data = shutil.copytree(label_data, tmp_path / "data")
    if content is not None:
        (data / "train.conll").write_bytes(content)
    flags = (*TRAIN_FLAGS, "--task", "byte_tagging", "--criterion", "byte_tagging",
             "--arch", "byte_tagger_tiny", "--max-update", "1", *flags)  # fmt: skip
    error = failing("train", data, "--save-dir", tmp_path, *flags)
    assert message in error.split("\n")[-1]


def test_odd_files_train_and_validate(label_data, tmp_path):
    data = shutil.copytree(label_data, tmp_path / "data")
    text = (data / "train.conll").read_text()
    giant = "".join(f"w{i}\tO\n" for i in range(10_000))
    text = f"\ufeff# a comment\n{text}\n{giant}".replace("\n", "\r\n").rstrip()
    (data / "train.conll").write_bytes(text.encode())
    (data / "valid.conll").write_text("kal\tB-NEW\nalarm\tB-THING\n\n" + giant)
    result = train_labels("tagging", data, tmp_path, "--max-update", "3",
                          "--max-tokens", "3000")  # fmt: skip
    output = (result.stdout + result.stderr).decode()
    assert "1 of 61 sentences have more than 2047 bytes and are cut" in output
    assert "1 of 2 sentences have more than 2047 bytes and are cut behind a word" in output
    assert validations(result)[-1]["accuracy"] < 100
