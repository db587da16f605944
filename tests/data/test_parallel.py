import pytest

from fairseq_bytefusion.data import infer_language_pair, load_parallel
from fairseq_bytefusion.text import ByteDictionary

from ..helpers import write_pair


def load(folder, split="train", src="xx", tgt="en", **kwargs):
    return load_parallel(
        str(folder), split, [src], ByteDictionary(), tgt, ByteDictionary(), **kwargs
    )


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
    upsampled = load(tmp_path, combine=True, upsample_primary=3)
    sources = [upsampled[i]["source"][0].item() - 4 for i in range(4)]
    assert bytes(sources) == b"aaac"
    assert upsampled.sizes.tolist() == [[2, 2]] * 4


def test_a_pair_over_max_tokens_is_a_batch_of_its_own(tmp_path):
    write_pair(tmp_path, "test", ["a", "x" * 50, "b"], ["c", "d", "e"])
    dataset = load(tmp_path, "test")
    dataset.max_batch_tokens = 10
    batches = dataset.batch_by_size(dataset.ordered_indices(), max_tokens=10)
    assert sorted(sorted(map(int, batch)) for batch in batches) == [[0, 2], [1]]


def test_infer_language_pair(tmp_path):
    with pytest.raises(FileNotFoundError, match="train.de-en.de"):
        infer_language_pair(str(tmp_path))
    write_pair(tmp_path, "train", ["a"], ["b"])
    (tmp_path / "train.xx-en.xx.lines.npy").write_bytes(b"")
    assert infer_language_pair(str(tmp_path)) == ("xx", "en")
    write_pair(tmp_path, "train", ["a"], ["b"], src="yy")
    with pytest.raises(ValueError, match="xx-en, yy-en"):
        infer_language_pair(str(tmp_path))
    assert infer_language_pair(str(tmp_path), src="yy") == ("yy", "en")
    assert infer_language_pair(str(tmp_path), tgt="xx") == ("en", "xx")
    with pytest.raises(ValueError, match="several"):
        infer_language_pair(str(tmp_path), src="en")
    with pytest.raises(ValueError, match="none of them fits --source-lang fr"):
        infer_language_pair(str(tmp_path), src="fr")


def test_language_codes_with_a_hyphen(tmp_path):
    write_pair(tmp_path, "train", ["a"], ["b"], src="zh-CN", tgt="pt-BR")
    assert infer_language_pair(str(tmp_path)) == ("zh-CN", "pt-BR")
    assert len(load(tmp_path, src="zh-CN", tgt="pt-BR")) == 1


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_file_without_lines_is_an_error(tmp_path, split):
    write_pair(tmp_path, split, [], [])
    with pytest.raises(ValueError, match=rf"{split}\.xx-en\.xx has no lines"):
        load(tmp_path, split)
