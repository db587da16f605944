"""Sentences of pieces, what is masked of them, and their batches."""

import logging

import numpy as np
import pytest
import torch

from fairseq_bytefusion.data.masked_pieces.dataset import NOT_CHOSEN, MaskedPiecesDataset
from fairseq_bytefusion.data.masked_pieces.sentences import (
    Spellings,
    read_sentences_of_pieces,
)
from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.pieces import read_pieces

NAMES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##able", "день", "##un", "long" * 9]
PAD, UNK, CLS, SEP, UN, ABLE, DAY, SUFFIX_UN, LONG = range(9)
DICTIONARY = ByteDictionary()
SENTENCES = [[UN, ABLE, DAY], [UNK], [UN, SUFFIX_UN, UNK, UN, LONG], [], [DAY]]


def spellings(max_chars=50):
    return Spellings.of(read_pieces(NAMES)[0], DICTIONARY, max_chars)


def dataset(**options):
    return MaskedPiecesDataset(
        [np.array(row, np.int32) for row in SENTENCES],
        spellings(),
        (CLS, SEP, PAD),
        *(DICTIONARY.unk(), DICTIONARY.pad()),
        **options,
    )


def items(data):
    return [data[i] for i in range(len(data))]


def same(a, b):
    return all(
        all(map(np.array_equal, x[k], y[k]))
        if k == "symbols"
        else np.array_equal(x[k], y[k])
        for x, y in zip(a, b)
        for k in x
    )


def test_spellings(caplog):
    found = spellings(30)
    assert found.is_spelled.tolist() == [False] * 4 + [True] * 5
    assert found.begins.tolist() == [False] * 4 + [True, False, True, False, True]
    assert DICTIONARY.decode(found.symbols[ABLE]) == "able"
    assert len(found.symbols[LONG]) == 30
    assert "1 of 5 pieces have more than 30 bytes and are cut there" in caplog.text
    letters = {letter for name in NAMES[4:] for letter in name.strip("#").encode()}
    assert set(found.alphabet - DICTIONARY.byte_offset) == letters


def test_sentences_without_a_piece_are_left_out_and_counted(caplog):
    data = dataset(name="a text")
    assert "a text: 2 of 5 sentences have no piece to predict" in caplog.text
    assert data.sizes.tolist() == [5, 7, 3]


def test_what_is_masked_depends_on_epoch_and_sentence_alone():
    data, again = dataset(is_training=True), dataset(is_training=True)
    first = items(data)
    assert same(first, items(again))
    assert same(first, [again[i] for i in (2, 1, 0)][::-1])
    data.set_epoch(2)
    assert not same(first, items(data))
    data.set_epoch(1)
    assert same(first, items(data))
    assert not same(first, items(dataset(is_training=True, seed=2)))


def test_validation_is_the_same_in_every_epoch():
    data = dataset()
    first = items(data)
    data.set_epoch(3)
    assert same(first, items(data))
    assert data.ordered_indices().tolist() == [2, 0, 1]


@pytest.mark.parametrize("level", ["character", "piece"])
def test_targets_are_pieces_and_others_keep_their_spelling(level):
    data = dataset(is_training=True, level=level, prob=0.4)
    changed = 0
    for epoch in range(20):
        data.set_epoch(epoch + 1)
        for item in items(data):
            pieces, target = item["pieces"], item["target"]
            assert pieces[0] == CLS
            assert pieces[-1] == SEP
            assert (target != NOT_CHOSEN).any()
            places = np.flatnonzero(item["is_spelled"])
            for place, symbols in zip(places, item["symbols"]):
                own = data.spellings.symbols[pieces[place]]
                assert len(symbols) == len(own)
                if target[place] == NOT_CHOSEN:
                    assert np.array_equal(symbols, own)
                else:
                    assert target[place] == pieces[place]
                    changed += not np.array_equal(symbols, own)
            assert (target[~item["is_spelled"]] == NOT_CHOSEN).all()
    assert changed > 20


def test_a_batch_is_its_sentences():
    data = dataset(is_training=True)
    found = items(data)
    batch = data.collater(found)
    inputs = batch["net_input"]
    assert batch["id"].tolist() == [0, 1, 2]
    assert batch["nsentences"] == 3
    assert batch["ntokens"] == 15
    count = len(inputs["lengths"])
    rows = {
        (tuple(s[:n].tolist()), b.item())
        for s, n, b in zip(inputs["symbols"], inputs["lengths"], inputs["begins"])
    }
    assert len(rows) == count  # each different one once: "un" is not "##un"
    targets = []
    for b, item in enumerate(found):
        length = len(item["pieces"])
        assert inputs["pieces"][b, :length].tolist() == item["pieces"].tolist()
        assert (inputs["pieces"][b, length:] == PAD).all()
        assert (inputs["index"][b, length:] == count).all()
        spelled = iter(item["symbols"])
        for place in range(length):
            row = int(inputs["index"][b, place])
            if not item["is_spelled"][place]:
                assert row == count
                continue
            symbols = next(spelled)
            assert inputs["symbols"][row, : len(symbols)].tolist() == symbols.tolist()
            assert inputs["lengths"][row] == len(symbols)
            assert inputs["begins"][row] == data.spellings.begins[item["pieces"][place]]
        targets += [t for t in item["target"].tolist() if t != NOT_CHOSEN]
    assert batch["target"].tolist() == targets
    assert torch.equal(inputs["chosen"].sum(), torch.tensor(len(targets)))
    assert data.collater([]) == {}


def pieces_of(word):
    return [word[0]] * len(word)


@pytest.mark.parametrize(
    ("text", "most", "expected", "count"),
    [
        (b"aa b\n\n  \nccc\n", None, [3, 0, 0, 3], 0),
        (b"aa b\naa bb c\n", 3, [3, 2], 1),
        (b"aaaaa b\n", 3, [3], 1),  # within a word that is longer than there is room
        ("\ufeffaa\r\nb\u2028b".encode(), None, [2, 5], 0),
    ],
)
def test_lines_are_read_and_cut_behind_a_word(
    tmp_path, caplog, text, most, expected, count
):
    (tmp_path / "t").write_bytes(text)
    with caplog.at_level(logging.WARNING):
        rows = read_sentences_of_pieces(str(tmp_path / "t"), pieces_of, most)
    assert list(map(len, rows)) == expected
    told = f"{count} of {len(rows)} sentences have more than {most} pieces" in caplog.text
    assert told == bool(count)


def test_a_text_without_words_is_refused(tmp_path):
    (tmp_path / "t").write_text("\n  \n\t\n")
    with pytest.raises(ValueError, match="t holds no word: there is nothing to learn from"):
        read_sentences_of_pieces(str(tmp_path / "t"), pieces_of)
