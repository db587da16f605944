"""A data set of one side, and a task that has nothing else."""

import logging
import pickle
from argparse import Namespace

import numpy as np
import pytest
import torch
from fairseq.tasks import FairseqTask

from fairseq_bytefusion.data import Side
from fairseq_bytefusion.data.lines import array_cache
from fairseq_bytefusion.data.sentences import NO_LABEL, SentenceDataset
from fairseq_bytefusion.tasks.shared.batching import PackedBatching
from fairseq_bytefusion.tasks.shared.filtering import CountedFiltering
from fairseq_bytefusion.text import ByteDictionary

from .pairs.test_parallel import file_behind

SIZES = {"de": 40, "fr": 10, "ru": 4}


class SentenceTask(CountedFiltering, PackedBatching, FairseqTask):
    """What a task of one side takes from the shared ones."""


def dataset_of(folder, lines, labels=None, tags=(), **options):
    """A data set of ``lines``: language -> list of str."""
    left_pad = options.pop("left_pad", False)
    dictionary = ByteDictionary()
    dictionary.set_tags(list(tags))
    side = Side(list(lines), dictionary, options.pop("limit", None), left_pad)
    parts = {}
    for lang, sentences in lines.items():
        path = folder / f"text.{lang}"
        path.write_bytes("".join(f"{line}\n" for line in sentences).encode())
        parts[lang] = side.tagged(side.open_lines(str(path)), lang)
    return SentenceDataset(side, parts, labels, **options)


def many(folder, **options):
    lines = {
        lang: [f"{lang} {'x' * (i % 5)} {i}" for i in range(size)]
        for lang, size in SIZES.items()
    }
    return dataset_of(folder, lines, **options)


def text(dataset, index):
    return dataset.src_dict.string(dataset[index]["source"])


def iterator(dataset, max_tokens=1000, max_positions=2048, **kwargs):
    task = SentenceTask(Namespace(data="DATA"))
    return task.get_batch_iterator(
        dataset, max_tokens=max_tokens, max_positions=max_positions, **kwargs
    )


def ids(batches):
    return [batch["id"].tolist() if batch else [] for batch in batches]


def test_items(tmp_path):
    dataset = dataset_of(tmp_path, {"de": ["ab", ""]})
    assert len(dataset) == 2
    assert dataset.sizes.tolist() == [3, 1]
    assert dataset.empty([0, 1]).tolist() == [False, True]
    assert dataset[0]["source"].tolist() == [101, 102, 2]
    assert dataset[0]["target"] is None
    assert "labels" not in dataset[0]


@pytest.mark.parametrize("left_pad", [False, True])
def test_a_batch_without_labels(tmp_path, left_pad):
    dataset = dataset_of(tmp_path, {"de": ["a", "bcd"]}, left_pad=left_pad)
    batch = dataset.collater([dataset[0], dataset[1]])
    assert batch["id"].tolist() == [1, 0]
    short = [1, 1, 101, 2] if left_pad else [101, 2, 1, 1]
    assert batch["net_input"]["src_tokens"].tolist() == [[102, 103, 104, 2], short]
    assert batch["net_input"]["src_lengths"].tolist() == [4, 2]
    assert set(batch["net_input"]) == {"src_tokens", "src_lengths"}
    assert batch["target"] is None
    assert batch["ntokens"] == 6
    assert dataset.collater([]) == {}


@pytest.mark.parametrize("labels", [[5, 1], np.array([5, 1]), torch.tensor([5, 1])])
def test_a_label_a_sentence(tmp_path, labels):
    dataset = dataset_of(tmp_path, {"de": ["a", "bcd"]}, labels)
    batch = dataset.collater([dataset[0], dataset[1]])
    assert batch["target"].dtype == torch.long
    assert batch["target"].tolist() == [1, 5]  # the longer sentence first
    assert batch["ntokens"] == 6


@pytest.mark.parametrize("left_pad", [False, True])
def test_labels_within_a_sentence(tmp_path, left_pad):
    labels = [torch.tensor([1]), torch.tensor([7, 0, 8])]
    lines = {"de": ["ab", "c d e"]}
    dataset = dataset_of(tmp_path, lines, labels, left_pad=left_pad, pad_to_multiple=4)
    batch = dataset.collater([dataset[0], dataset[1]])
    short = [NO_LABEL, NO_LABEL, 1] if left_pad else [1, NO_LABEL, NO_LABEL]
    assert batch["target"].tolist() == [[7, 0, 8], short]
    assert batch["net_input"]["src_tokens"].shape == (2, 8)


def test_labels_and_sentences_must_be_as_many(tmp_path):
    with pytest.raises(ValueError, match="3 labels do not fit 2 sentences"):
        dataset_of(tmp_path, {"de": ["a", "b"]}, [1, 2, 3])


def test_labels_stay_with_their_sentences(tmp_path):
    dataset = many(tmp_path, labels=list(range(54)), temperature=5, num_buckets=3)
    for batch in iterator(dataset, max_tokens=60).next_epoch_itr():
        assert batch["target"].tolist() == batch["id"].tolist()


def test_training_drops_empty_and_over_long_sentences_and_says_so(tmp_path, caplog):
    lines = {"de": ["a", "", "b" * 30, "c", ""], "fr": ["d", "e" * 18]}
    dataset = dataset_of(tmp_path, lines, tags=("de", "fr"))
    with caplog.at_level(logging.WARNING):
        found = iterator(dataset, max_positions=(20,), ignore_invalid_inputs=True)
    assert sorted(sum(ids(found.next_epoch_itr()), [])) == [0, 3, 5, 6]
    messages = [r.getMessage() for r in caplog.records if "dropped" in r.getMessage()]
    assert messages == [
        "2 of 7 sentences dropped: no text",
        "1 of 7 sentences dropped: a sentence over 18 bytes",
    ]
    kept = iterator(dataset, max_positions=(20,)).next_epoch_itr()
    assert sorted(sum(ids(kept), [])) == list(range(7))


def test_nothing_left_is_an_error(tmp_path):
    dataset = dataset_of(tmp_path, {"de": ["", ""]})
    message = (
        "no sentence is left in DATA: see the counts above, --max-source-positions and "
        "--max-tokens"
    )
    with pytest.raises(ValueError, match=message):
        iterator(dataset, ignore_invalid_inputs=True)


def test_max_tokens_are_those_of_the_sentences(tmp_path):
    lines = {"de": ["x" * n for n in (3, 3, 3, 3, 30)]}
    labels = [torch.arange(40)] * 5  # more than any sentence has symbols
    dataset = dataset_of(tmp_path, lines, labels, shuffle=False)
    batches = ids(iterator(dataset, max_tokens=8).next_epoch_itr(shuffle=False))
    assert batches == [[0, 1], [2, 3], [4]]  # the last one is longer than any batch
    dropped = iterator(dataset, max_tokens=8, ignore_invalid_inputs=True)
    assert ids(dropped.next_epoch_itr(shuffle=False)) == [[0, 1], [2, 3]]


def test_over_long_sentences_are_cut_at_the_limit_of_their_side(tmp_path):
    dataset = dataset_of(tmp_path, {"de": ["x" * 30]}, tags=("de",), limit=10)
    assert dataset[0]["source"].tolist() == [260, *[124] * 8, 2]
    assert dataset.lengths[0].tolist() == [10]


def test_batches_that_are_not_for_training_are_of_one_language(tmp_path):
    dataset = many(tmp_path, shuffle=False)
    batches = list(iterator(dataset, max_tokens=100).next_epoch_itr(shuffle=False))
    assert sorted(sum(ids(batches), [])) == list(range(54))
    for batch in batches:
        langs = {text(dataset, i).split()[0] for i in batch["id"].tolist()}
        assert langs == {batch["lang"]}
    assert {batch["lang"] for batch in batches} == set(SIZES)
    assert "lang" not in many(tmp_path).collater([dataset[0]])


def test_languages_are_mixed_by_temperature(tmp_path):
    dataset = many(tmp_path, temperature=5)
    counts = dict.fromkeys(SIZES, 0)
    for i in dataset.ordered_indices():
        counts[text(dataset, i).split()[0]] += 1
    weights = {lang: n**0.2 for lang, n in SIZES.items()}
    for lang, count in counts.items():
        assert count == round(54 * weights[lang] / sum(weights.values()))
    assert not dataset.can_reuse_epoch_itr_across_epochs
    assert many(tmp_path).can_reuse_epoch_itr_across_epochs


@pytest.mark.parametrize("temperature", [1.0, 5.0])
def test_two_workers_see_what_one_sees(tmp_path, temperature):
    dataset = many(tmp_path, temperature=temperature)
    one = ids(iterator(dataset, 60, epoch=2).next_epoch_itr())
    parts = [
        ids(iterator(dataset, 60, epoch=2, num_shards=2, shard_id=k).next_epoch_itr())
        for k in range(2)
    ]
    together = [batch for pair in zip(*parts) for batch in pair]
    assert together[: len(one)] == one
    assert len(one) > 4


@pytest.mark.parametrize("temperature", [1.0, 5.0])
def test_resuming_goes_on_where_it_stopped(tmp_path, temperature):
    def start():
        return iterator(many(tmp_path, temperature=temperature), 60, epoch=2)

    expected = ids(start().next_epoch_itr())
    first = start()
    batches = first.next_epoch_itr()
    seen = ids(next(batches) for _ in range(3))
    resumed = start()
    resumed.load_state_dict(first.state_dict())
    assert seen + ids(resumed.next_epoch_itr()) == expected


def test_lengths_and_batches_are_mapped_and_no_text_is_held(tmp_path, monkeypatch):
    monkeypatch.setattr(array_cache, "MIN_SPILLED_BYTES", 1)
    dataset = dataset_of(tmp_path, {"de": ["x" * 20_000] * 9})
    assert file_behind(dataset.lengths[0]).endswith("text.de.lines.npy")
    assert dataset.src_sizes is dataset.lengths[0]
    batches = dataset.batch_by_size(dataset.ordered_indices(), max_tokens=30_000)
    assert file_behind(batches.indices) is not None
    dataset[0]
    assert len(pickle.dumps(dataset)) < 40_000
