"""Hypotheses of parts, joined to a translation."""

import pytest
import torch

from fairseq_bytefusion.generation.hypothesis import Hypothesis, joined
from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.symbol_words import bytes_of_symbols

DICTIONARY = ByteDictionary()
SYMBOLS = bytes_of_symbols(DICTIONARY)


def hypothesis(text, attention=None):
    """One whose symbols have log-probabilities -1, -2 ..."""
    tokens = DICTIONARY.encode_line(text).long()
    scores = -torch.arange(1.0, len(tokens) + 1)
    return Hypothesis(tokens, scores, float(scores.mean()), attention)


def of(texts, spaces, **others):
    parts = [hypothesis(text) for text in texts]
    return joined(parts, spaces, DICTIONARY, SYMBOLS, **others)


@pytest.mark.parametrize(
    ("texts", "spaces", "text", "words", "end"),
    [
        (["a bc"], [""], "a bc", [("a", -1), ("bc", -9)], -5),
        ([" a "], [""], " a ", [("a", -3)], -7),
        (["a", "b"], ["", " \t"], "a \tb", [("a", -1), ("b", -1)], -4),
        (["a", "b"], ["", ""], "ab", [("ab", -2)], -4),  # cut between characters
        (["", "b"], ["", "  "], "  b", [("b", -1)], -3),
        ([""], [""], "", [], -1),
    ],
)
def test_words_and_their_scores(texts, spaces, text, words, end):
    found = of(texts, spaces)
    assert found.text == text
    assert list(found.words) == words
    assert found.end_score == end
    sums = [n * (n + 1) / 2 for n in (len(t) + 1 for t in texts)]
    assert found.log_probability == -sum(sums)
    assert found.score == pytest.approx(-sum(sums) / sum(len(t) + 1 for t in texts))


def test_the_score_of_several_parts_goes_by_all_their_symbols():
    # -(1 + 2) and -(1 + 2 + 3), of five symbols
    assert of(["a", "bc"], ["", " "], lenpen=0.5).score == pytest.approx(-9 / 5**0.5)
    assert of(["a", "bc"], ["", " "], cut=True, parts=2).parts == 2


def test_parts_are_aligned_with_words_of_the_whole_sentence():
    # The second part reads the third word and its half of the second one.
    first = torch.tensor([[0.9, 0.1, 0], [0.5, 0.5, 0], [0.2, 0.8, 0], [1, 0, 0]])
    second = torch.tensor([[0, 0.6, 0.4], [0, 0.4, 0.6], [0, 0.1, 0.9], [0, 1, 0]])
    parts = [hypothesis("a b", first), hypothesis("c d", second)]
    apart = joined(parts, ["", " "], DICTIONARY, SYMBOLS)
    assert apart.pharaoh == "0-0 1-1 1-2 2-3"
    together = joined(parts, ["", ""], DICTIONARY, SYMBOLS)
    assert [word for word, _ in together.words] == ["a", "bc", "d"]
    assert together.pharaoh == "0-0 1-1 2-2"


def test_a_source_without_words_has_no_alignment():
    parts = [hypothesis("a b", torch.zeros(4, 0))]
    assert joined(parts, [""], DICTIONARY, SYMBOLS).alignment == ()
