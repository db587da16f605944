"""Scores of labels, against a slow version and scikit-learn."""

import random

import pytest
import torch

from fairseq_bytefusion.evaluation.labelling_scores import (
    count_labels,
    scores_by_label,
    scores_from_confusion,
)

from ..oracles import labelling_scores as oracle

CASES = {
    "all right": ([0, 1, 2, 1], [0, 1, 2, 1], 3),
    "all wrong": ([0, 1, 2], [1, 2, 0], 3),
    "one label": ([0, 0], [0, 0], 1),
    "a label never predicted": ([0, 0, 1, 2], [0, 0, 0, 2], 3),
    "a label never gold": ([0, 0, 2], [0, 1, 2], 3),
    "a label nowhere": ([0, 0, 2], [0, 2, 2], 4),
    "labels that training lacks": ([0, 3, 1, 3], [0, 1, 1, 2], 3),
    "only labels that training lacks": ([2, 2], [0, 1], 2),
}


def random_case(seed):
    draw = random.Random(seed)
    num_labels = draw.randint(1, 6)
    size = draw.randint(1, 40)
    gold = [draw.randint(0, num_labels) for _ in range(size)]
    predicted = [draw.randrange(num_labels) for _ in range(size)]
    return gold, predicted, num_labels


CASES.update({f"random {seed}": random_case(seed) for seed in range(20)})


def confusion_of(gold, predicted, num_labels):
    return count_labels(torch.tensor(gold), torch.tensor(predicted), num_labels)


@pytest.mark.parametrize("case", CASES)
def test_scores_are_those_of_the_slow_version(case):
    gold, predicted, _ = CASES[case]
    scores = scores_from_confusion(confusion_of(*CASES[case]))
    assert scores == pytest.approx(oracle.scores(gold, predicted), abs=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_scores_are_those_of_scikit_learn(case):
    metrics = pytest.importorskip("sklearn.metrics")
    gold, predicted, num_labels = CASES[case]
    confusion = confusion_of(*CASES[case])
    scores = scores_from_confusion(confusion)
    assert scores["accuracy"] == pytest.approx(
        100 * metrics.accuracy_score(gold, predicted), abs=1e-9
    )
    for average in ("macro", "micro", "weighted"):
        expected = metrics.precision_recall_fscore_support(
            gold, predicted, average=average, zero_division=0
        )
        for name, value in zip(("precision", "recall", "f1"), expected):
            assert scores[f"{average}_{name}"] == pytest.approx(100 * value, abs=1e-9)
    expected = metrics.precision_recall_fscore_support(
        gold, predicted, labels=range(num_labels + 1), zero_division=0
    )
    by_label = scores_by_label(confusion)
    for name, values in zip(("precision", "recall", "f1"), expected):
        assert list(by_label[name]) == pytest.approx(100 * values, abs=1e-9)
    assert by_label["support"].tolist() == expected[3].tolist()


def test_the_confusion_matrix():
    gold = torch.tensor([[0, 1, -100], [2, 1, 0]])  # 2: training lacks it; -100: none
    predicted = torch.tensor([[0, 0, 1], [1, 1, 0]])
    confusion = count_labels(gold, predicted, 2)
    assert confusion.tolist() == [[2, 0], [1, 1], [0, 1]]
    assert confusion.dtype == torch.long
    scores = scores_from_confusion(confusion)
    assert scores["accuracy"] == 60
    assert scores_by_label(confusion)["predicted"].tolist() == [3, 2, 0]


def test_counts_of_parts_add_up():
    gold, predicted, num_labels = CASES["random 3"]
    parts = [
        confusion_of(gold[start::2], predicted[start::2], num_labels) for start in (0, 1)
    ]
    whole = scores_from_confusion(confusion_of(gold, predicted, num_labels))
    assert scores_from_confusion(sum(parts)) == whole


def test_nothing_counted():
    nothing = torch.tensor([], dtype=torch.long)
    scores = scores_from_confusion(count_labels(nothing, nothing, 3))
    assert set(scores.values()) == {0.0} and len(scores) == 10
