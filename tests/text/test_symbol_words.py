"""Which word each symbol belongs to."""

import pytest

from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.symbol_words import bytes_of_symbols, words_of_symbols
from fairseq_bytefusion.text.word_list import split_words

from ..helpers import SENTENCES


@pytest.mark.parametrize(
    ("symbols", "words", "index"),
    [
        ("a| |b|c||", "a bc", [0, 1, 1, 1, -1]),
        (" | |a| ||", "a", [0, 0, 0, -1, -1]),
        (" | ||", "", [-1, -1, -1]),
        ("|a||b|", "ab", [-1, 0, -1, 0]),  # a tag in front, </s> between parts of a word
        (" kal| do|wn|", "kal down", [0, 1, 1]),  # SentencePiece
        (" | kal|", "kal", [0, 0]),
        ("a |b|", "a b", [0, 1]),
        ("", "", []),
    ],
)
def test_words_of_symbols(symbols, words, index):
    found, of_symbol = words_of_symbols(map(str.encode, symbols.split("|")[:-1]))
    assert found == words.encode().split()
    assert of_symbol == index


@pytest.mark.parametrize("sentence", [*SENTENCES, "\t a\v b \f", "a\u00a0b\u2003c d"])
def test_words_are_those_between_white_space(sentence):
    dictionary = ByteDictionary()
    symbols = bytes_of_symbols(dictionary)
    ids = dictionary.encode_line(sentence).tolist()
    words, index = words_of_symbols(symbols[i] for i in ids)
    assert [word.decode() for word in words] == split_words(sentence)
    assert index == sorted(index, key=lambda i: i if i >= 0 else len(words))
    for number, word in enumerate(words):
        own = b"".join(symbols[i] for i, w in zip(ids, index) if w == number)
        assert own.strip() == word


def test_symbols_of_a_dictionary():
    found = bytes_of_symbols(ByteDictionary())
    assert found[:4] == [b"", b"", b"", b"<unk>"]
    assert found[4:] == [bytes([b]) for b in range(256)]
