"""Rows: scores on resamples, means over test sets, and what a row was trained for."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from fairseq_bytefusion.evaluation import System, score_systems
from scripts.experiments.pairs.plan import Column
from scripts.experiments.report.metrics import BITS, ROUGE, UNSEEN
from scripts.experiments.report.rows import judge_rows
from scripts.experiments.report.samples import Sampler, difference, mean_of, rouge_l

from ..evaluation.test_scoring import BAD, GOOD, REFERENCES
from .results import row

SIZES = np.array([len(reference.encode()) + 1 for reference in REFERENCES])
BITS_OF = {"good": SIZES * 2.0, "bad": SIZES * 2.5 + np.arange(len(SIZES))}


@pytest.fixture(scope="module")
def samples():
    """name -> (name of a metric -> resampled, cells)."""
    sampler = Sampler(REFERENCES, {"the", "a"}, 100)
    texts = {"good": GOOD, "bad": BAD}
    return {n: sampler.resampled(texts[n], BITS_OF[n], SIZES) for n in texts}


@pytest.mark.parametrize("metric", ["BLEU", "chrF2"])
def test_significance_is_that_of_bytefusion_score(samples, metric):
    scored = score_systems([System("good", GOOD), System("bad", BAD)], REFERENCES, 100)
    sides = [(s[metric], samples[s["system"]][0][metric]) for s in scored]
    assert difference(*sides[::-1]) == pytest.approx(scored[1][metric]["p_value"])


def test_bits_are_of_all_sentences_together(samples):
    resampled, cells = samples["bad"]
    assert cells[BITS]["score"] == BITS_OF["bad"].sum() / SIZES.sum()
    chosen = Sampler(REFERENCES, set(), 100).chosen
    slow = [sum(BITS_OF["bad"][i] for i in draw) / sum(SIZES[i] for i in draw)
            for draw in chosen]  # fmt: skip
    assert resampled[BITS] == pytest.approx(slow)
    assert cells[BITS]["mean"] == pytest.approx(np.mean(slow))
    better = [(samples[name][1][BITS], samples[name][0][BITS]) for name in BITS_OF]
    assert difference(*better) < 0.05


def test_recall_is_in_percent(samples):
    assert samples["bad"][1][UNSEEN]["score"] == 100  # all words, in another order


def longest_common(a, b):
    """Words of the longest common subsequence, from its recursive definition."""
    if not a or not b:
        return 0
    if a[0] == b[0]:
        return 1 + longest_common(a[1:], b[1:])
    return max(longest_common(a[1:], b), longest_common(a, b[1:]))


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [
        ("the cat sat on a mat", "The cat lay on the mat ."),
        ("mat the on cat", "the cat lay on the mat"),
        ("a", "b"),
        ("", "some words"),
        ("same words", "same words"),
    ],
)
def test_rouge_is_f1_of_the_longest_common_subsequence(hypothesis, reference):
    sides = [re.findall("[a-z]+", side.lower()) for side in (hypothesis, reference)]
    common, sizes = longest_common(*sides), list(map(len, sides))
    expected = 200 * common / sum(sizes) if all(sizes) else 0
    assert rouge_l([hypothesis], [reference]) == pytest.approx([expected])


def test_rouge_is_a_mean_of_sentences(samples):
    found = samples["bad"][1][ROUGE]["score"]
    assert found == pytest.approx(rouge_l(BAD, REFERENCES).mean())
    assert 0 < found < samples["good"][1][ROUGE]["score"]


def test_what_has_no_score_is_not_different():
    none, some = ({"score": None}, np.full(3, np.nan)), ({"score": 1.0}, np.ones(3))
    assert difference(none, some) is None
    assert difference(some, some) is None


def test_means_leave_out_test_sets_without_a_score():
    sides = [
        ({"score": s, "signature": "x"}, np.full(3, s or np.nan)) for s in (1, None, 3)
    ]
    cell, resampled = mean_of(sides)
    assert (cell["score"], cell["signature"]) == (2, "mean of 2 test sets: x")
    assert resampled.tolist() == [2, 2, 2]
    assert mean_of(sides[1:2])[0]["score"] is None


@pytest.mark.parametrize(
    ("columns", "bleu"),
    [
        ([("de", True, None), ("fr", True, None)], 15),
        ([("de", True, None), ("fr", False, None)], 20),  # fr was trained on
        ([("de", False, 0), ("fr", False, 1000)], 20),  # de is zero-shot
    ],
)
def test_bleu_is_that_on_what_a_row_was_trained_for(columns, bleu):
    made = row("byte_dense", 1, [10, 20])
    columns = [Column("all", test, test, averaged, n) for test, averaged, n in columns]
    trainings = [
        SimpleNamespace(run=SimpleNamespace(system=system, seed=1), bits_per_byte=bits)
        for system, bits in (
            ("byte_dense", {8: 2.0, 10: 1.9}),
            ("byte_dense", {8: 2.0, 10: 2.0}),
            ("char", {8: 2.0, 10: 1.0}),
        )
    ]
    judge_rows([made], trainings, columns)
    assert made.trained.bleu == bleu
    assert made.trained.gain == pytest.approx(0.05)  # the most of its trainings
