import pytest

from fairseq_bytefusion.data import infer_language_pair
from fairseq_bytefusion.data.pairs.pair_files import find_pair, search_pair

from ...helpers import write_pair


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


def names(files):
    return files and tuple(path and path.rpartition("/")[2] for path in files)


@pytest.mark.parametrize(
    ("there", "found"),
    [
        (["xx-en.xx", "xx-en.en"], ("xx-en.xx", "xx-en.en")),
        (["en-xx.xx", "en-xx.en"], ("en-xx.xx", "en-xx.en")),
        (["xx-en.xx"], ("xx-en.xx", None)),
        (["en-xx.xx"], ("en-xx.xx", None)),
        # Whole before half, and the pair's own name before its twin's.
        (["xx-en.xx", "en-xx.xx", "en-xx.en"], ("en-xx.xx", "en-xx.en")),
        (["xx-en.xx", "en-xx.xx"], ("xx-en.xx", None)),
        (["xx-en.en", "xx-de.xx"], None),
        ([], None),
    ],
)
def test_the_files_of_a_pair(tmp_path, there, found):
    for name in there:
        (tmp_path / f"test.{name}").write_bytes(b"")
    expected = found and tuple(name and f"test.{name}" for name in found)
    assert names(search_pair(tmp_path, "test", "xx", "en")) == expected
    if expected:
        assert names(find_pair(tmp_path, "test", "xx", "en", False)) == expected
    if expected and None not in expected:
        assert names(find_pair(tmp_path, "test", "xx", "en")) == expected


def test_a_folder_is_no_file_of_a_pair(tmp_path):
    (tmp_path / "test.xx-en.xx").mkdir()
    assert search_pair(tmp_path, "test", "xx", "en") is None


def test_what_is_missing_is_said_and_what_is_there(tmp_path):
    write_pair(tmp_path, "train", ["a"], ["b"])
    with pytest.raises(FileNotFoundError) as error:
        find_pair(tmp_path, "test", "xx", "en")
    assert str(error.value) == (
        f"no such file: {tmp_path}/test.xx-en.xx (nor its twin named en-xx). {tmp_path} "
        "has no test.xx-en.xx with its target side; it holds: train.xx-en.en, "
        "train.xx-en.xx"
    )
    with pytest.raises(FileNotFoundError, match="has no test.xx-en.xx; it holds: train"):
        find_pair(tmp_path, "test", "xx", "en", target_required=False)
    (tmp_path / "train.xx-en.en").unlink()
    with pytest.raises(FileNotFoundError, match=r"en\.en, the target side of .*en\.xx"):
        find_pair(tmp_path, "train", "xx", "en")
    (tmp_path / "train.xx-en.xx").unlink()
    with pytest.raises(FileNotFoundError, match="it holds: no language pair"):
        find_pair(tmp_path, "train", "xx", "en")
    with pytest.raises(FileNotFoundError, match="no such data directory: .*nowhere"):
        find_pair(tmp_path / "nowhere", "train", "xx", "en")
