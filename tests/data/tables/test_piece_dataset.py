import logging

import numpy as np
import pytest

from fairseq_bytefusion.data.tables.piece_dataset import PieceDataset
from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.noise.misspell import misspell_entry
from fairseq_bytefusion.text.pieces import Piece

WORDS = ["the", "##ing", "business", "नमस्ते", "x" * 60]
PIECES = [Piece(w, w.lstrip("#"), not w.startswith("##")) for w in WORDS]
DICTIONARY = ByteDictionary()


def texts(dataset):
    return [DICTIONARY.decode(dataset[i]["symbols"]) for i in range(len(dataset))]


def test_pieces_without_noise(caplog):
    with caplog.at_level(logging.WARNING):
        dataset = PieceDataset(PIECES, DICTIONARY)
    assert texts(dataset) == ["the", "ing", "business", "नमस्ते", "x" * 50]
    assert dataset.sizes.tolist() == [3, 3, 8, 18, 50]
    assert "1 of 5 pieces have more than 50 bytes and are cut there" in caplog.text
    assert dataset.ordered_indices().tolist() == [0, 1, 2, 3, 4]


def test_a_batch():
    dataset = PieceDataset(PIECES, DICTIONARY, max_chars=5)
    batch = dataset.collater([dataset[i] for i in (2, 1)])
    net_input = batch["net_input"]
    b, pad = DICTIONARY.byte_offset, DICTIONARY.pad()
    assert net_input["symbols"].tolist() == [
        [c + b for c in b"busin"],
        [c + b for c in b"ing"] + [pad, pad],
    ]
    assert net_input["lengths"].tolist() == [5, 3]
    assert net_input["begins"].tolist() == [True, False]
    assert batch["target"].tolist() == [2, 1]
    assert batch["ntokens"] == 8
    assert dataset.collater([]) == {}


def test_noise_is_that_of_seed_epoch_and_row():
    dataset = PieceDataset(PIECES[:4], DICTIONARY, noise_prob=1.0, seed=7)
    shown = []
    for epoch in (1, 2, 1):
        dataset.set_epoch(epoch)
        expected = [
            misspell_entry(p.text, 1.0, 7, epoch, row) for row, p in enumerate(PIECES[:4])
        ]
        assert texts(dataset) == expected
        assert texts(dataset)[::-1] == [
            DICTIONARY.decode(dataset[i]["symbols"]) for i in (3, 2, 1, 0)
        ]
        shown.append(expected)
    assert shown[0] == shown[2] != shown[1]
    assert not dataset.can_reuse_epoch_itr_across_epochs


def test_only_misspelt_pieces():
    dataset = PieceDataset(PIECES, DICTIONARY, 60, noise_prob=1.0, only_misspelt=True)
    assert [dataset[i]["row"] for i in range(len(dataset))] == [2, 3, 4]
    assert len(dataset.sizes) == 3


@pytest.mark.parametrize("seed", [1, 2])
def test_shuffled_order(seed):
    dataset = PieceDataset(PIECES, DICTIONARY, shuffle=True)
    np.random.seed(seed)
    order = dataset.ordered_indices()
    assert sorted(order) == [0, 1, 2, 3, 4]
    np.random.seed(seed)
    assert dataset.ordered_indices().tolist() == order.tolist()
