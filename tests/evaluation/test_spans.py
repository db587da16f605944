"""Spans of BIO labels, by conlleval's rules."""

import random

import pytest

from fairseq_bytefusion.evaluation.spans import is_bio, span_counts, span_scores, spans

from ..oracles import spans as oracle


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("", []),
        ("O O", []),
        ("B-a", [("a", 0, 1)]),
        ("B-a I-a I-a O", [("a", 0, 3)]),
        ("O B-a I-a", [("a", 1, 3)]),  # the end of the sentence ends it
        ("B-a B-a", [("a", 0, 1), ("a", 1, 2)]),
        ("B-a B-b", [("a", 0, 1), ("b", 1, 2)]),
        ("I-a I-a", [("a", 0, 2)]),  # I at the start of a sentence begins a span
        ("O I-a O I-a", [("a", 1, 2), ("a", 3, 4)]),  # and after O
        ("B-a I-b", [("a", 0, 1), ("b", 1, 2)]),  # and after another type
        ("I-a I-b I-a", [("a", 0, 1), ("b", 1, 2), ("a", 2, 3)]),
        ("I-a B-a I-a", [("a", 0, 1), ("a", 1, 3)]),
        ("B-a O I-a", [("a", 0, 1), ("a", 2, 3)]),
        ("B-a-b I-a-b", [("a-b", 0, 2)]),  # a type may have a hyphen
        ("B-a I-a-b", [("a", 0, 1), ("a-b", 1, 2)]),
        ("B I I B", [("", 0, 3), ("", 3, 4)]),  # and no type is one, too
        ("B I-a", [("", 0, 1), ("a", 1, 2)]),
        ("B-a I-a O-a I-a", [("a", 0, 2), ("a", 3, 4)]),
    ],
)
def test_spans(labels, expected):
    assert spans(labels.split()) == expected
    wanted = len(expected)
    assert oracle.span_counts(labels.split(), labels.split()) == (wanted, wanted, wanted)


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ("", "", (0, 0, 0)),
        ("O O", "O O", (0, 0, 0)),
        ("B-a I-a O", "B-a I-a O", (1, 1, 1)),
        ("B-a I-a O", "I-a I-a O", (1, 1, 1)),  # the spans are the same
        ("B-a I-a O", "B-a O O", (0, 1, 1)),  # too short
        ("B-a I-a O", "B-a I-a I-a", (0, 1, 1)),  # too long
        ("B-a I-a O", "B-b I-b O", (0, 1, 1)),  # another type
        ("B-a I-a O", "B-a B-a O", (0, 2, 1)),
        ("B-a I-a I-a", "B-a I-b I-a", (0, 3, 1)),
        ("B-a B-a", "B-a I-a", (0, 1, 2)),
        ("O B-a", "O O", (0, 0, 1)),
        ("O O", "O I-a", (0, 1, 0)),
        ("B-a O B-b", "B-a O B-a", (1, 2, 2)),
    ],
)
def test_counts(gold, predicted, expected):
    gold, predicted = gold.split(), predicted.split()
    assert span_counts(gold, predicted) == expected
    assert oracle.span_counts(gold, predicted) == expected


def test_counts_of_random_labels_are_conllevals():
    draw = random.Random(1)
    labels = ["O", "B-a", "I-a", "B-b", "I-b", "B", "I", "O-a"]
    for _ in range(3000):
        gold = draw.choices(labels, k=draw.randint(0, 7))
        # Half of the words are labelled right, else few spans would be.
        predicted = [g if draw.random() < 0.5 else draw.choice(labels) for g in gold]
        assert span_counts(gold, predicted) == oracle.span_counts(gold, predicted)


def test_sentences_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="1 labels are predicted for 2 words"):
        span_counts(["O", "O"], ["O"])


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((0, 0, 0), (0, 0, 0)),
        ((0, 0, 3), (0, 0, 0)),
        ((0, 3, 0), (0, 0, 0)),
        ((2, 4, 2), (50, 100, 100 * 2 / 3)),
        # The figures of the example of CoNLL-2000's page on conlleval.
        ((371, 539, 459), (68.83, 80.83, 74.35)),
    ],
)
def test_scores(counts, expected):
    scores = span_scores(counts)
    assert list(scores) == ["span_precision", "span_recall", "span_f1"]
    assert list(scores.values()) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["O", "B-a", "I-a"], True),
        (["B", "I", "O"], True),
        (["I-a"], True),
        ([], False),
        (["O"], False),
        (["NOUN", "VERB"], False),
        (["O", "B-a", "S-b"], False),
        (["O", "B-a", "I-a", "other"], False),
        (["Before", "Inside"], False),
    ],
)
def test_labels_that_mark_spans(labels, expected):
    assert is_bio(labels) is expected
