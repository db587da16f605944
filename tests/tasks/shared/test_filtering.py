import logging

import pytest

from ...helpers import write_pair
from ..running import batches, ids, make_task


def test_training_drops_empty_and_over_long_pairs_and_says_so(tmp_path, caplog):
    sources = ["a", "", "b", "x" * 30, "c", "d", ""]
    targets = ["a", "b", "", "c", "y" * 30, "d", ""]
    write_pair(tmp_path, "train", sources, targets)
    task = make_task(tmp_path)
    task.load_dataset("train")
    with caplog.at_level(logging.WARNING):
        found = batches(task, "train", max_positions=(20, 25))
    assert ids(found) == [0, 5]
    messages = [r.getMessage() for r in caplog.records if r.levelname == "WARNING"]
    assert messages == [
        "3 of 7 pairs dropped: an empty side",
        "1 of 7 pairs dropped: a source over 19 bytes",
        "1 of 7 pairs dropped: a target over 24 bytes",
    ]


def test_training_drops_what_no_batch_can_hold(tmp_path, caplog):
    write_pair(tmp_path, "train", ["a", "x" * 30], ["b", "c"])
    task = make_task(tmp_path)
    task.load_dataset("train")
    assert ids(batches(task, "train", max_tokens=10)) == [0]
    assert "1 of 2 pairs dropped: a source over 9 bytes" in caplog.text


def test_a_training_set_without_a_usable_pair_is_an_error(tmp_path):
    write_pair(tmp_path, "train", ["", "a"], ["b", ""])
    task = make_task(tmp_path)
    task.load_dataset("train")
    with pytest.raises(ValueError, match="no pair is left"):
        batches(task, "train")


@pytest.mark.parametrize("split", ["valid", "test"])
def test_other_splits_keep_every_line(tmp_path, split, caplog):
    sources = ["a", "", "世" * 20, "b"]
    write_pair(tmp_path, split, sources, ["", "b", "c", "y" * 90])
    task = make_task(tmp_path, max_source_positions=12)
    task.load_dataset(split)
    found = batches(task, split, max_tokens=40, max_positions=(12, 12))
    assert ids(found) == [0, 1, 2, 3]
    by_id = {
        i: task.source_dictionary.decode(row)
        for batch in found
        for i, row in zip(batch["id"].tolist(), batch["net_input"]["src_tokens"])
    }
    assert by_id[2] == "世世世"
    assert "1 of 4 sentences have more than 11 bytes" in caplog.text


def test_truncate_source_cuts_in_training_too(tmp_path):
    write_pair(tmp_path, "train", ["x" * 30], ["y"])
    task = make_task(tmp_path, truncate_source=True, max_source_positions=10)
    task.load_dataset("train")
    assert (
        len(batches(task, "train", max_positions=(10, 10))[0]["net_input"]["src_tokens"][0])
        == 10
    )


def test_buckets_do_not_change_what_is_dropped(tmp_path, caplog):
    sources = ["a", "", "x" * 30, "bcd"]
    write_pair(tmp_path, "train", sources, ["a", "b", "c", "dd"])
    task = make_task(tmp_path, num_batch_buckets=1)
    task.load_dataset("train")
    assert ids(batches(task, "train", max_positions=(20, 20))) == [0, 3]
    assert "1 of 4 pairs dropped: an empty side" in caplog.text
