"""Recall of words that training has not seen."""

import pytest

from fairseq_bytefusion.evaluation.unseen_words import unseen_recall, words

from ..oracles import unseen_words as oracle

TRAINING = ["The cat sat .", "Don't stop, it's late"]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("", "", (0, 0)),
        ("The cat", "The cat sat.", (0, 0)),  # all seen
        ("a dog", "The dog sat.", (1, 1)),
        ("dog", "dog dog", (1, 2)),  # as often as it stands in the translation
        ("dog dog dog", "dog dog", (2, 2)),  # as often as it stands in the reference
        ("Dog", "dog", (0, 1)),
        ("the", "the", (1, 1)),  # The is another word
        ("dog, 3.5", "dog 3.5!", (2, 3)),  # punctuation is a word
        ("late", "stop late", (0, 0)),
        ("собака", "собака спит", (1, 2)),
    ],
)
def test_words_found(hypothesis, reference, expected):
    seen = {word for line in TRAINING for word in words(line)}
    found, total = unseen_recall([hypothesis], [reference], seen)
    assert (found[0], total[0]) == expected
    assert oracle.unseen_recall(hypothesis, reference, TRAINING) == expected


def test_words_do_not_count_in_other_sentences():
    found, total = unseen_recall(["b", "a"], ["a", "b"], set())
    assert (found.sum(), total.sum()) == (0, 2)
