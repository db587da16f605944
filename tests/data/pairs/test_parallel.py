import numpy as np
import pytest
from fairseq.data import LanguagePairDataset, data_utils

from fairseq_bytefusion.data import Side, infer_language_pair, load_parallel
from fairseq_bytefusion.data.lines import array_cache
from fairseq_bytefusion.text import ByteDictionary

from ...helpers import write_pair


def load(folder, split="train", src="xx", tgt="en", **kwargs):
    source, target = (Side([lang], ByteDictionary()) for lang in (src, tgt))
    return load_parallel(str(folder), split, source, target, **kwargs)


def test_pairs(tmp_path):
    write_pair(tmp_path, "train", ["a", "bc"], ["d", ""])
    dataset = load(tmp_path)
    assert len(dataset) == 2
    assert dataset[1]["source"].tolist() == [102, 103, 2]
    assert dataset[1]["target"].tolist() == [2]
    assert dataset.sizes.tolist() == [[2, 2], [3, 1]]
    assert dataset.empty([0, 1]).tolist() == [False, True]


def test_either_direction(tmp_path):
    write_pair(tmp_path, "train", ["a"], ["b"])
    dataset = load(tmp_path, src="en", tgt="xx")
    assert dataset[0]["source"].tolist() == [102, 2]


def test_line_counts_must_agree(tmp_path):
    write_pair(tmp_path, "train", ["a", "b"], ["c"])
    with pytest.raises(ValueError) as error:
        load(tmp_path)
    for part in ("train.xx-en.xx has 2", "train.xx-en.en has 1"):
        assert part in str(error.value)


def test_missing_split_names_the_path_and_what_is_there(tmp_path):
    write_pair(tmp_path, "train", ["a"], ["b"])
    with pytest.raises(FileNotFoundError) as error:
        load(tmp_path, "valid")
    for part in ("valid.xx-en.xx", "train.xx-en.en", str(tmp_path)):
        assert part in str(error.value)
    with pytest.raises(FileNotFoundError, match=r"train\.fr-en\.fr.*train\.xx-en\.xx"):
        load(tmp_path, src="fr")


def test_missing_directory(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such data directory: .*nowhere"):
        load(tmp_path / "nowhere")


def test_missing_target(tmp_path, caplog):
    write_pair(tmp_path, "test", ["a"], ["b"])
    (tmp_path / "test.xx-en.en").unlink()
    with pytest.raises(FileNotFoundError, match=r"test\.xx-en\.en, the target side"):
        load(tmp_path, "test")
    dataset = load(tmp_path, "test", target_required=False)
    assert dataset[0]["target"] is None
    assert "test.xx-en.en" in caplog.text


def test_combine_joins_numbered_splits(tmp_path):
    write_pair(tmp_path, "train", ["a"], ["b"])
    write_pair(tmp_path, "train1", ["c"], ["d"])
    assert len(load(tmp_path)) == 1
    assert len(load(tmp_path, combine=True)) == 2
    upsampled = load(tmp_path, combine=3)
    sources = [upsampled[i]["source"][0].item() - 4 for i in range(4)]
    assert bytes(sources) == b"aaac"
    assert upsampled.sizes.tolist() == [[2, 2]] * 4


def test_a_pair_over_max_tokens_is_a_batch_of_its_own(tmp_path):
    write_pair(tmp_path, "test", ["a", "x" * 50, "b"], ["c", "d", "e"])
    dataset = load(tmp_path, "test")
    dataset.max_batch_tokens = 10
    batches = dataset.batch_by_size(dataset.ordered_indices(), max_tokens=10)
    assert sorted(sorted(map(int, batch)) for batch in batches) == [[0, 2], [1]]


def test_language_codes_with_a_hyphen(tmp_path):
    write_pair(tmp_path, "train", ["a"], ["b"], src="zh-CN", tgt="pt-BR")
    assert infer_language_pair(str(tmp_path)) == ("zh-CN", "pt-BR")
    assert len(load(tmp_path, src="zh-CN", tgt="pt-BR")) == 1


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_file_without_lines_is_an_error(tmp_path, split):
    write_pair(tmp_path, split, [], [])
    with pytest.raises(ValueError, match=rf"{split}\.xx-en\.xx has no lines"):
        load(tmp_path, split)


def write_random_pairs(folder, longest, count=300):
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 9, (2, count))
    lengths[0, 7] = longest
    write_pair(folder, "train", *(["x" * n for n in side] for side in lengths))


@pytest.mark.parametrize("longest", [9, 70_000])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("num_buckets", [0, 3])
def test_the_order_is_that_of_fairseq(tmp_path, longest, shuffle, num_buckets):
    write_random_pairs(tmp_path, longest)
    dataset = load(tmp_path, shuffle=shuffle, num_buckets=num_buckets)
    with data_utils.numpy_seed(dataset.order_seed):
        expected = LanguagePairDataset.ordered_indices(dataset)
    found = dataset.ordered_indices()
    assert found.dtype == np.int32
    assert found.tolist() == expected.tolist()


def test_sources_alone_are_in_the_order_of_fairseq(tmp_path):
    write_random_pairs(tmp_path, 9)
    (tmp_path / "train.xx-en.en").unlink()
    dataset = load(tmp_path, target_required=False, shuffle=False)
    assert dataset.sizes.ndim == 1
    expected = LanguagePairDataset.ordered_indices(dataset).tolist()
    assert dataset.ordered_indices().tolist() == expected


def file_behind(array):
    """str or None: the name of the file that an array is mapped from."""
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return array if array is None else str(array.filename)


def test_lengths_and_batches_are_mapped(tmp_path, monkeypatch):
    monkeypatch.setattr(array_cache, "MIN_SPILLED_BYTES", 1)
    write_random_pairs(tmp_path, 9)
    for _ in ("without an index", "with one"):
        dataset = load(tmp_path, shuffle=True)
        sizes = dataset.src_sizes, dataset.tgt_sizes
        for side, lang in enumerate(("xx", "en")):
            for found in (dataset.lengths[side], sizes[side]):
                assert file_behind(found).endswith(f"train.xx-en.{lang}.lines.npy")
    order = dataset.ordered_indices()
    batches = dataset.batch_by_size(order, max_tokens=50)
    assert np.concatenate(batches).tolist() == order.tolist()
    assert file_behind(batches.indices) is not None
