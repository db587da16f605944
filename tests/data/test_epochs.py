"""An epoch is fairseq's; stopped, it goes on with what it has not had."""

import logging

import numpy as np
import pytest
from fairseq.data.iterators import EpochBatchIterator

from fairseq_bytefusion.data.batches import PackedBatches
from fairseq_bytefusion.data.epochs import PackedBatchIterator

from ..helpers import write_pair
from ..tasks.running import make_task
from .test_batches import Numbers, random_batches, tolists


@pytest.mark.parametrize("shard", [-1, 3])
def test_a_shard_that_is_not_there_is_refused(shard):
    iterator = EpochBatchIterator(
        *(Numbers(), Numbers().collater, random_batches()[1]),
        num_shards=3,
        shard_id=shard,
    )
    iterator.__class__ = PackedBatchIterator
    with pytest.raises(ValueError, match=f"no shard {shard}: there are 3, from 0"):
        iterator.next_epoch_itr()


@pytest.mark.parametrize("options", [{}, {"grouped_shuffling": True}])
@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("num_shards", [1, 3])
def test_an_epoch_is_that_of_fairseq(options, shuffle, num_shards):
    plain, packed = random_batches()

    def epochs(kind, batches, shard):
        iterator = EpochBatchIterator(
            *(Numbers(), Numbers().collater, batches),
            **dict(seed=5, num_shards=num_shards, shard_id=shard, **options),
        )
        if kind is PackedBatchIterator:
            iterator.__class__ = kind
        found = [tolists(iterator.next_epoch_itr(shuffle=shuffle)) for _ in range(3)]
        found.append(len(iterator))
        iterator.load_state_dict({"epoch": 2, "iterations_in_epoch": 3, "shuffle": shuffle})
        found.append(tolists(iterator.next_epoch_itr(shuffle=shuffle)))
        found.append(iterator.first_batch.tolist())
        return found

    for shard in range(num_shards):
        expected = epochs(EpochBatchIterator, plain, shard)
        assert epochs(PackedBatchIterator, packed, shard) == expected


def test_no_batch_is_an_object_while_training():
    packed = random_batches()[1]
    iterator = EpochBatchIterator(Numbers(), Numbers().collater, packed)
    iterator.__class__ = PackedBatchIterator
    iterator.next_epoch_itr()
    assert isinstance(iterator.frozen_batches, PackedBatches)
    assert isinstance(iterator.ordered_batches(1, False, True), PackedBatches)


SIZES = [3 * (i % 7) + 1 for i in range(60)]
THEN = {"max_tokens": 40, "max_sentences": None, "seed": 3, "num_shards": 1}


@pytest.fixture
def folder(tmp_path):
    lines = ["x" * size for size in SIZES]
    write_pair(tmp_path, "train", lines, lines)
    write_pair(tmp_path, "train", lines[:20], lines[:20], src="yy")
    return tmp_path


def iterator(folder, options, shard=0, epoch=2, source_lang="xx"):
    task = make_task(folder, source_lang=source_lang, sampling_temperature=3.0)
    task.load_dataset("train", epoch=epoch)
    found = task.get_batch_iterator(
        task.dataset("train"),
        **{**THEN, **options},
        shard_id=shard,
        epoch=epoch,
        max_positions=(2048, 2048),
        ignore_invalid_inputs=True,
    )
    assert isinstance(found, PackedBatchIterator)
    return found


def go(folder, options, batches, state=None, **kwargs):
    """Ids that the workers see in some batches each (None: all), and what is saved."""
    seen = []
    for shard in range(options.get("num_shards", 1)):
        epoch_itr = iterator(folder, options, shard, **kwargs)
        if state is not None:
            epoch_itr.load_state_dict(state)
        itr = epoch_itr.next_epoch_itr(shuffle=True)
        while itr.has_next() and batches != 0:
            seen += next(itr).get("id", np.empty(0)).tolist()
            batches = None if batches is None else batches - 1
        saved = epoch_itr.state_dict()
    return seen, saved


CHANGES = {
    "smaller": {"max_tokens": 30},
    "larger": {"max_tokens": 200},
    "sentences": {"max_sentences": 2},
    "seed": {"seed": 5},
    "multiple": {"required_batch_size_multiple": 8},
    "workers": {"num_shards": 3},
    "grouped": {"grouped_shuffling": True},
}


@pytest.mark.parametrize("source_lang", ["xx", "xx,yy"])
@pytest.mark.parametrize("options", CHANGES.values(), ids=CHANGES)
def test_other_batches_have_what_is_left(folder, caplog, options, source_lang):
    whole, _ = go(folder, {}, None, source_lang=source_lang)
    seen, state = go(folder, {}, 9, source_lang=source_lang)
    assert state["iterations_in_epoch"] == 9
    with caplog.at_level(logging.INFO):
        rest, state = go(folder, options, None, state, source_lang=source_lang)
    assert sorted(seen + rest) == sorted(whole)
    assert state["epoch"] == 3
    assert f"it goes on with the {len(rest)} of " in caplog.text


def test_batches_may_change_again_and_back(folder):
    whole, _ = go(folder, {}, None)
    seen, state = go(folder, {}, 7)
    for options in ({"max_tokens": 30}, {"max_tokens": 30}, {}, {"max_sentences": 2}):
        more, state = go(folder, options, 2, state)
        seen += more
    assert state["iterations_in_epoch"] == 7 + 4 * 2
    assert [count for _, count in state["parts"]] == [7, 4, 2, 2]
    rest, state = go(folder, {"max_tokens": 50}, None, state)
    assert sorted(seen + rest) == sorted(whole)
    assert "parts" not in state


def test_the_next_epoch_is_whole(folder):
    _, state = go(folder, {}, 9)
    epoch_itr = iterator(folder, {"max_tokens": 30})
    epoch_itr.load_state_dict(state)
    list(epoch_itr.next_epoch_itr())
    expected = list(iterator(folder, {"max_tokens": 30}, epoch=3).next_epoch_itr())
    found = list(epoch_itr.next_epoch_itr())
    assert [b["id"].tolist() for b in found] == [b["id"].tolist() for b in expected]


def test_nothing_that_is_left_fits(folder):
    seen, state = go(folder, {"max_sentences": 1}, 59)
    (left,) = set(range(60)) - set(seen)
    epoch_itr = iterator(folder, {"max_tokens": SIZES[left]})  # and its end of sentence
    epoch_itr.load_state_dict(state)
    assert (epoch_itr.next_epoch_idx, epoch_itr.iterations_in_epoch) == (3, 0)


def test_other_data_begin_the_epoch_again_and_say_so(folder, caplog):
    whole, _ = go(folder, {}, None)
    _, state = go(folder, {}, 9)
    write_pair(folder, "train", ["a"] * 50, ["b"] * 50)
    seen, _ = go(folder, {}, None, state)
    assert sorted(seen) == list(range(50))
    assert "epoch 2 begins again, so that what it had passed, 9 batches, is" in caplog.text


def old(state):
    return {name: state[name] for name in state if name not in ("parts", "digest")}


def test_a_checkpoint_that_does_not_say_how_its_batches_were_made(folder, caplog):
    whole, _ = go(folder, {}, None)
    seen, state = go(folder, {}, 9)
    rest, _ = go(folder, {}, None, old(state))
    assert sorted(seen + rest) == sorted(whole)
    assert (
        "some sentences come twice in it and some not at all: give --max-t" in caplog.text
    )
    with pytest.raises(ValueError, match="after batch 9 of epoch 2, which has 1 batches n"):
        go(folder, {"max_tokens": 20000}, None, old(state))
