import torch

from fairseq_bytefusion.modules.word_local import group_rows, group_words
from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.words import block_starts, symbol_tables

from ..helpers import SENTENCES, pad_batch

TABLES = symbol_tables(ByteDictionary())


def test_groups_hold_every_token_once_word_by_word():
    batch = pad_batch(SENTENCES, left=True)
    starts = block_starts(batch, batch == 1, TABLES)
    groups = group_words(starts, batch == 1)
    real = (batch != 1).flatten().nonzero().flatten()
    assert torch.equal(groups.order.sort().values, real)
    lengths = [length for length, _ in groups.sizes]
    assert lengths == sorted(set(lengths))
    flat, begin = starts.flatten(), 0
    for length, count in groups.sizes:
        for _ in range(count):
            word = groups.order[begin : begin + length]
            assert (word.diff() == 1).all()
            assert flat[word].tolist() == [True] + [False] * (length - 1)
            begin += length
    assert begin == len(groups.order)


def test_groups_of_a_batch_of_padding():
    batch = torch.ones(2, 3, dtype=torch.long)
    groups = group_words(block_starts(batch, batch == 1, TABLES), batch == 1)
    assert groups.sizes == []
    assert len(groups.order) == 0


def test_groups_of_rows():
    lengths = torch.tensor([2, 3, 1, 2])
    groups = group_rows(torch.arange(3) >= lengths.unsqueeze(1))
    assert groups.sizes == [(1, 1), (2, 2), (3, 1)]
    assert groups.order.tolist() == [6, 0, 1, 9, 10, 3, 4, 5]
