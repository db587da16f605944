"""What small logs say, and single sentences."""

import json

import pytest

from scripts.experiments.report.logs import decoding_time, read_training
from scripts.experiments.report.sentences import (
    Translations,
    bleu_by_length,
    most_different,
)

from .helpers import write


def line(kind, **stats):
    text = json.dumps({key: str(value) for key, value in stats.items()})
    return f"2026-01-01 00:00:00 | INFO | {kind} | {text}\n"


def valid(updates, nll, **more):
    return line("valid", valid_nll_loss=nll, valid_num_updates=updates, **more)


def inner(updates, bsz, seconds):
    return line("train_inner", num_updates=updates, bsz=bsz, train_wall=seconds)


def test_of_a_training_that_went_on_the_last_word_counts(tmp_path):
    log = write(
        tmp_path / "train.log",
        inner(10, 20, 5) + valid(10, 6.5, valid_ncf_lambda_1=0.25) + inner(20, 30, 5)
        + "Traceback: killed\n"
        + inner(20, 40, 10) + valid(20, 5.5, valid_ncf_lambda_1=0.5),
    )  # fmt: skip
    found = read_training(log)
    assert {u: v.nll for u, v in found.validations.items()} == {10: 6.5, 20: 5.5}
    assert found.validations[20].ngram_weights == {1: 0.5}
    assert found.seconds == {10: 5, 20: 15}
    assert found.batch_size == (10 * 20 + 10 * 40) / 20
    assert found.sentences_per_second == (10 * 20 + 10 * 40) / 15


def test_a_log_too_short_to_time(tmp_path):
    log = write(tmp_path / "train.log", inner(2, 8, 0) + valid(2, 6))
    assert read_training(log).sentences_per_second is None
    assert read_training(log).seconds == {}
    assert read_training(log).batch_size == 8


def test_seconds_and_shares_at_a_validation(tmp_path):
    """Lines of train_inner do not come at the updates of validations."""
    shares = {"valid_ncf_share_1": 0.7, "valid_ncf_share_2": 0.3}
    log = inner(10, 8, 4) + valid(15, 3, **shares) + inner(20, 8, 6) + valid(25, 2)
    found = read_training(write(tmp_path / "train.log", log))
    assert found.seconds == {15: 4 + 6 / 2, 25: 10}
    assert found.validations[15].ngram_shares == {1: 0.7, 2: 0.3}
    assert found.validations[15].ngram_weights == found.validations[25].ngram_shares == {}


def test_a_log_without_validation_is_named(tmp_path):
    log = write(tmp_path / "train.log", "nothing\n")
    with pytest.raises(ValueError, match=r"train\.log holds no validation"):
        read_training(log)


def test_decoding_time(tmp_path):
    text = "INFO:x:Translated 1,024 sentences (3,120 tokens) in 2.5s (409.60 sentences/s)\n"
    assert decoding_time(write(tmp_path / "a", text)) == (1024, 2.5)
    with pytest.raises(ValueError, match="does not say how long"):
        decoding_time(write(tmp_path / "b", "Translated\n"))


SENTENCES = Translations(
    "de",
    "set",
    ["a" * n for n in (1, 2, 3, 4, 5, 6, 7, 8)],
    [f"the cat number {n} sat on a mat" for n in range(8)],
    {
        "one": [f"the cat number {n} sat on a mat" for n in range(8)],
        "two": ["the cat number 0 sat on a mat"] * 7 + ["nothing of the kind"],
    },
)


def test_bleu_by_length():
    labels, scores = bleu_by_length([SENTENCES])
    assert labels == ["1–2", "3–4", "5–6", "7–8"]
    assert scores["one"] == pytest.approx([100] * 4)
    assert scores["two"][3] < scores["two"][1] < scores["two"][0] < 100


def test_bleu_by_length_of_sentences_of_one_length():
    one = Translations("de", "set", ["ab"] * 3, ["x"] * 3, {"s": ["x"] * 3})
    labels, scores = bleu_by_length([one])
    assert labels == ["2–2"]
    assert len(scores["s"]) == 1


def test_examples_are_those_that_differ_most():
    first, second = most_different([SENTENCES], 2)
    assert first.source == "a" * 8
    assert first.outputs["two"][0] == "nothing of the kind"
    assert first.spread > second.spread > 0
