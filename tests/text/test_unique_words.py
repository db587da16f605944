import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.words import symbol_tables, unique_words

from ..helpers import SENTENCES, pad_batch
from ..oracles.word_composers import characters_of

DICTIONARY = ByteDictionary()
TABLES = symbol_tables(DICTIONARY)


def words_of_batch(batch, max_chars=50):
    return unique_words(batch, 1, TABLES, max_chars)


def rows_of(words):
    return [
        row[:length].tolist() for row, length in zip(words.symbols, words.lengths.tolist())
    ]


def sentences_of(words):
    """The words of each sentence, as lists of ids."""
    rows = rows_of(words)
    return [[rows[i] for i in row if i < len(rows)] for row in words.index.tolist()]


def test_the_drawing():
    words = words_of_batch(pad_batch(["a bc a", "bc"]))
    assert sentences_of(words) == [[[101], [102, 103], [101], [2]], [[102, 103], [2]]]
    assert sorted(rows_of(words)) == [[2], [101], [102, 103]]
    assert words.index[1, 2:].tolist() == [3, 3]
    assert words.symbols.shape == (3, 2)
    assert words.num_cut == 0


@settings(max_examples=200)
@given(
    st.lists(
        st.lists(st.sampled_from([" ", "\t", "a", "b", "ab", "世", "👩"]), max_size=12).map(
            "".join
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([1, 3, 50]),
    st.booleans(),
)
def test_words_are_the_oracles(sentences, max_chars, left):
    words = words_of_batch(pad_batch(sentences, left=left, extra=1), max_chars)
    expected = [characters_of(s.encode(), max_chars) for s in sentences]
    assert sentences_of(words) == expected
    whole = [characters_of(s.encode(), 10**6) for s in sentences]
    different = {tuple(w) for ws in whole for w in ws}
    assert len(words.hashes) == len(different)
    assert words.num_cut == sum(len(w) > max_chars for ws in whole for w in ws)


def test_padding_only():
    words = words_of_batch(torch.ones(2, 3, dtype=torch.long))
    assert words.symbols.shape == (0, 0)
    assert words.index.tolist() == [[0], [0]]


def test_hashes_mean_the_same_in_every_batch():
    def hashes(*sentences):
        words = words_of_batch(pad_batch(sentences))
        return dict(zip(map(tuple, rows_of(words)), words.hashes.tolist()))

    alone, together = hashes("subah"), hashes(*SENTENCES)
    assert alone.items() <= together.items()
    a, b = ord("a") + 4, ord("b") + 4
    # splitmix64 of the symbol and its place, computed with Python's integers
    mask = 2**64 - 1

    def mixed(key):
        x = (key + 1) * 0x9E3779B97F4A7C15 & mask
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & mask
        x = (x ^ x >> 27) * 0x94D049BB133111EB & mask
        return x ^ x >> 31

    expected = (mixed(a) + mixed(2**32 + b)) & mask
    assert hashes("ab")[a, b] & mask == expected


def test_many_words_have_many_hashes():
    text = " ".join(f"{i:x}" for i in range(20000))
    assert len(words_of_batch(pad_batch([text])).hashes) == 20001
