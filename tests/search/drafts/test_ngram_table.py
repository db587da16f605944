"""Hashed counts of n-grams are counts of n-grams."""

import numpy as np
import pytest

from fairseq_bytefusion.search.drafts import ngram_table
from fairseq_bytefusion.search.drafts.ngram_table import NgramTable

from ...oracles.ngrams import after, most_frequent

EOS = 2


def sentences_of(count, seed=0, symbols=6):
    random = np.random.default_rng(seed)
    return [
        [*random.integers(4, 4 + symbols, random.integers(0, 12)).tolist(), EOS]
        for _ in range(count)
    ]


def padded(history, width):
    return [-1] * (width - len(history[-width:])) + history[-width:]


@pytest.mark.parametrize("order", [2, 3, 5, 9])
def test_each_context_of_the_text_and_of_another(order):
    sentences, others = sentences_of(60), sentences_of(30, seed=1, symbols=7)
    expected = most_frequent(sentences, order, EOS)
    table = NgramTable.count(order, np.concatenate(sentences), EOS)
    assert table.num_contexts == len(expected)
    histories = [
        [EOS, *sentence[:i]]
        for sentence in sentences + others
        for i in range(len(sentence))
    ]
    found = table.after(np.array([padded(h, order - 1) for h in histories]))
    assert found.tolist() == [after(expected, order, h) for h in histories]
    assert -1 in found  # a symbol that the text has not


def test_a_table_that_is_full_keeps_short_contexts(monkeypatch):
    monkeypatch.setattr(ngram_table, "SMALLEST_TABLE", 64)
    monkeypatch.setattr(ngram_table, "LARGEST_TABLE", 64)
    sentences = sentences_of(300)
    table = NgramTable.count(6, np.concatenate(sentences), EOS)
    assert table.marks.size == 64
    assert 32 < table.num_contexts <= 64
    expected = most_frequent(sentences, 2, EOS)
    histories = np.array([[-1] * 4 + list(context) for context in expected])
    assert table.after(histories).tolist() == list(expected.values())


def test_the_largest_table_is_of_64_megabytes():
    table = NgramTable.count(2, np.array([EOS]), EOS)
    size = table.marks.itemsize + table.symbols.itemsize
    assert ngram_table.LARGEST_TABLE * size <= 64 * 2**20
