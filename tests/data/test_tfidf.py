"""tf-idf as features: by its equation, and from a checkpoint."""

import math
import sys
from collections import Counter

import pytest
import torch

from fairseq_bytefusion.data.tfidf import TfIdf

TEXTS = ["kal subah kal", "Kal a !", "", "दुनिया caf\udce9"]


def n_grams(text, kind):
    parts = text.lower().split(" ") if kind == "word" else list(text.lower())
    join = " ".join if kind == "word" else "".join
    parts = [part for part in parts if part]
    return [join(parts[i : i + n]) for n in (1, 2, 3) for i in range(len(parts) - n + 1)]


def vector(text, kind, terms):
    """list of float: tf (ln((1 + N) / (1 + df)) + 1) of each term, of length 1."""
    counts = Counter(n_grams(text, kind))
    documents = [set(n_grams(t, kind)) for t in TEXTS]
    values = []
    for term in terms:
        frequency = sum(term in document for document in documents)
        values.append(counts[term] * (math.log((1 + len(TEXTS)) / (1 + frequency)) + 1))
    norm = math.sqrt(sum(v * v for v in values)) or 1
    return [v / norm for v in values]


def test_the_equation():
    features = TfIdf.fit(TEXTS, 10_000, "train.tsv")
    texts = [*TEXTS, "kal unseen subah"]
    found = features.rows(texts)(range(len(texts)))
    expected = []
    for text in texts:
        row = []
        for kind in ("word", "char"):
            row += vector(text, kind, sorted({g for t in TEXTS for g in n_grams(t, kind)}))
        expected.append(row)
    assert found.dtype == torch.float32
    assert torch.allclose(found, torch.tensor(expected), atol=1e-6)
    assert found.shape[1] == len(features)


def test_the_most_frequent_n_grams_are_kept_and_the_first_of_equal_ones():
    features = TfIdf.fit(["c b a", "c a", "c"], 2, "train.tsv")
    words, characters = (
        features.state()[f"{kind}_terms"].numpy().tobytes().split(b"\n")
        for kind in ("word", "char")
    )
    assert words == [b"a", b"c"]
    assert characters == [b" ", b"c"]
    features = TfIdf.fit(["c b a", "b c a", "a b c"], 1, "train.tsv")
    assert features.state()["word_terms"].numpy().tobytes() == b"a"
    equal = [f"w{i:03}" for i in range(500)]
    features = TfIdf.fit(["z z", *reversed(equal)], 41, "train.tsv")
    words = features.state()["word_terms"].numpy().tobytes().decode().split("\n")
    assert words == [*equal[:40], "z"]


def test_a_checkpoint_is_enough():
    features = TfIdf.fit(TEXTS, 20, "train.tsv")
    state = features.state()
    assert {type(value) for value in state.values()} == {torch.Tensor}
    again = TfIdf.from_state(state)
    assert again.is_that_of(state)
    assert not TfIdf.fit(TEXTS[:1], 20, "train.tsv").is_that_of(state)
    numbers = [3, 0, 2]
    assert torch.equal(again.rows(TEXTS)(numbers), features.rows(TEXTS)(numbers))


def test_nothing_to_count():
    with pytest.raises(ValueError, match="train.tsv holds no text of which --tfidf"):
        TfIdf.fit(["", " \t"], 5, "train.tsv")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    with pytest.raises(ValueError, match="scikit-learn: pip install scikit-learn"):
        TfIdf.fit(["a"], 5, "train.tsv")
