"""Words some of whose characters are hidden."""

import logging

import numpy as np
import pytest
import torch

from fairseq_bytefusion.data.masked_words import MaskedWordsDataset, draw_characters
from fairseq_bytefusion.text import ByteDictionary, CharDictionary

BYTES = ByteDictionary()
COUNTS = {b"alarm": 9, "é".encode(): 4, "दुनिया".encode(): 2, b"x" * 9: 1}


def dataset(**options):
    return MaskedWordsDataset(COUNTS, BYTES, **{"is_training": True, **options})


@pytest.mark.parametrize(
    ("power", "times"), [(0, [1, 1, 1, 1]), (0.5, [3, 2, 1, 1]), (1, [9, 4, 2, 1])]
)
def test_a_word_is_in_an_epoch_as_often_as_the_power_says(power, times):
    found = dataset(power=power)
    spelled = [BYTES.encode_line(w, append_eos=False).tolist() for w in COUNTS]
    targets = [found[i]["target"].tolist() for i in range(len(found))]
    assert [targets.count(word) for word in spelled] == times
    assert sorted(found.ordered_indices()) == list(range(sum(times)))
    assert (np.diff(found.sizes[found.ordered_indices()]) >= 0).all()


@pytest.mark.parametrize("prob", [0.01, 0.3, 1.0])
def test_characters_are_drawn_whole_and_at_least_one(prob):
    raw = "aéदx".encode()
    starts = np.array([(byte & 0xC0) != 0x80 for byte in raw])
    spans = [[0], [1, 2], [3, 4, 5], [6]]
    counts = []
    for seed in range(300):
        chosen = draw_characters(starts, prob, np.random.default_rng(seed))
        drawn = [span for span in spans if chosen[span].any()]
        assert all(chosen[span].all() for span in drawn)
        counts.append(len(drawn))
    assert min(counts) >= 1
    assert np.mean(counts) == pytest.approx(max(1, 4 * prob), abs=0.15)


def test_a_word_that_begins_inside_a_character_is_drawn_too():
    starts = np.array([False, True])
    for seed in range(20):
        assert draw_characters(starts, 0.1, np.random.default_rng(seed)).any()


def test_what_is_not_chosen_stays_and_shares_are_kept():
    found = dataset(prob=0.5, shares=(0.6, 0.3, 0.1), power=0)
    alphabet = set(np.concatenate(found.symbols).tolist())
    masked = same = total = 0
    for epoch in range(1, 400):
        found.set_epoch(epoch)
        for sample in (found[i] for i in range(len(found))):
            chosen, symbols = sample["chosen"], sample["symbols"]
            assert (symbols[~chosen] == sample["target"][~chosen]).all()
            assert set(symbols.tolist()) <= alphabet | {BYTES.unk()}
            masked += (symbols[chosen] == BYTES.unk()).sum()
            same += (symbols[chosen] == sample["target"][chosen]).sum()
            total += chosen.sum()
    assert masked / total == pytest.approx(0.6, abs=0.03)
    assert 0.1 <= same / total < 0.2  # and what is replaced by itself


def test_noise_is_of_the_epoch_in_training_alone():
    for training, differ in ((True, True), (False, False)):
        found = dataset(prob=0.5, is_training=training)
        noise = []
        for epoch in (1, 2, 1):
            found.set_epoch(epoch)
            noise.append([found[i]["symbols"].tolist() for i in range(len(found))])
        assert noise[0] == noise[2]
        assert (noise[0] != noise[1]) == differ
    other = dataset(prob=0.5, seed=(2, 1))
    assert [other[i]["symbols"].tolist() for i in range(len(other))] != noise[0]


def test_a_batch_is_its_words():
    found = dataset()
    samples = [found[i] for i in (0, 4, 6)]
    batch = found.collater(samples)
    given = batch["net_input"]
    for row, sample in enumerate(samples):
        length = len(sample["symbols"])
        assert given["symbols"][row, :length].tolist() == sample["symbols"].tolist()
        assert (given["symbols"][row, length:] == BYTES.pad()).all()
        assert not given["chosen"][row, length:].any()
        assert given["lengths"][row] == length
    expected = np.concatenate([s["target"][s["chosen"]] for s in samples])
    assert batch["target"].tolist() == expected.tolist()
    assert batch["ntokens"] == sum(len(s["symbols"]) for s in samples)
    assert found.collater([]) == {}


def test_long_words_are_cut_and_unknown_characters_left_out(tmp_path, caplog):
    (tmp_path / "dict.char.xx.txt").write_text("a 3\nb 2\n", "utf-8")
    chars = CharDictionary.from_file(str(tmp_path / "dict.char.xx.txt"))
    counts = {b"ab": 1, b"abab": 1, b"ac": 1}
    with caplog.at_level(logging.WARNING):
        found = MaskedWordsDataset(counts, chars, max_chars=3, power=0, name="the list")
    assert found.sizes.tolist() == [2, 3]
    assert "the list: 1 of 3 words hold <unk> and are left out" in caplog.text
    assert "the list: 1 of 3 words have more than 3 characters and are cut" in caplog.text
    with pytest.raises(ValueError, match="the list holds no word whose characters are all"):
        MaskedWordsDataset({b"c": 1}, chars, name="the list")


def test_the_order_differs_by_epoch():
    found = MaskedWordsDataset(
        {bytes([97 + i]): 1 for i in range(26)}, BYTES, is_training=True
    )
    orders = []
    for epoch in (1, 2, 1):
        found.set_epoch(epoch)
        orders.append(found.ordered_indices().tolist())
    assert orders[0] == orders[2] != orders[1]
    assert torch.tensor(orders[0]).sort().values.tolist() == list(range(26))
