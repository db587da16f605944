import io
import logging
import os
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairseq_bytefusion.data.lines import array_cache, line_index, line_sizes
from fairseq_bytefusion.data.lines.line_dataset import LineDataset
from fairseq_bytefusion.data.lines.line_index import (
    build_line_index,
    open_line_index,
)
from fairseq_bytefusion.text import ByteDictionary, CharDictionary
from fairseq_bytefusion.text.lines import raw_lines


def lines_of(path):
    dataset = LineDataset(str(path), ByteDictionary())
    return [dataset.line_bytes(i) for i in range(len(dataset))]


@pytest.fixture()
def chars(tmp_path):
    (tmp_path / "dict.char.xx.txt").write_bytes("a 1\n世 1\n▁ 1\n".encode())
    return CharDictionary.from_file(str(tmp_path / "dict.char.xx.txt"))


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [b""]),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\nb", [b"a", b"b"]),
        (b"a\n\n\nb\n", [b"a", b"", b"", b"b"]),
        (b"a\r\nb\r\n", [b"a", b"b"]),
        (b"\r\n", [b""]),
        (b"a\r\r\n", [b"a\r"]),
        (b"a\rb\n", [b"a\rb"]),
        (b"a\r", [b"a\r"]),
        (b"\xef\xbb\xbfa\nb\n", [b"a", b"b"]),
        (b"\xef\xbb\xbf\r\nb", [b"", b"b"]),
        (b"\xef\xbb\xbf", []),
        (b"a\n\xef\xbb\xbfb\n", [b"a", b"\xef\xbb\xbfb"]),
        ("a\u2028b\x85c\vd\fe\0f\n".encode(), ["a\u2028b\x85c\vd\fe\0f".encode()]),
        ("\xa0\u3000\t  x  \n".encode(), ["\xa0\u3000\t  x  ".encode()]),
    ],
)
def test_lines(tmp_path, content, lines):
    path = tmp_path / "text"
    path.write_bytes(content)
    assert lines_of(path) == lines
    assert lines_of(path) == lines  # from the cache


@settings(max_examples=200)
@given(content=st.lists(st.sampled_from([b"\n", b"\r", b"a", b"\xef\xbb\xbf", b"\xc3"])))
def test_any_bytes_in_any_chunks(tmp_path_factory, content):
    content = b"".join(content)
    path = tmp_path_factory.mktemp("any") / "text"
    path.write_bytes(content)
    expected = list(raw_lines(io.BytesIO(content)))
    for size in (1, 2, 3, 1 << 20):
        original, line_index.CHUNK_BYTES = line_index.CHUNK_BYTES, size
        try:
            index = build_line_index(str(path))
        finally:
            line_index.CHUNK_BYTES = original
        found = [content[s : s + n - 1] for s, n in zip(index.starts, index.sizes)]
        assert found == expected
        invalid = sum(line != line.decode("utf-8", "ignore").encode() for line in expected)
        assert index.num_invalid == invalid


def test_items_and_sizes(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("ab\n\n世\n".encode())
    dataset = LineDataset(str(path), ByteDictionary())
    assert dataset.sizes.dtype == np.int32
    assert dataset.sizes.tolist() == [3, 1, 4]
    assert [len(dataset[i]) for i in range(3)] == [3, 1, 4]
    assert dataset[0].tolist() == [101, 102, 2]
    assert dataset.num_tokens(2) == dataset.size(2) == 4
    with pytest.raises(IndexError, match="3 lines"):
        dataset[3]


def test_workers_get_the_path_not_the_content(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"x" * 100_000 + b"\n")
    dataset = LineDataset(str(path), ByteDictionary())
    dataset[0]
    pickled = pickle.dumps(dataset)
    assert len(pickled) < 50_000
    assert (pickle.loads(pickled)[0] == dataset[0]).all()


def test_over_long_lines_are_cut_at_characters_and_counted(tmp_path, caplog):
    path = tmp_path / "text"
    path.write_bytes("a世b\nxy\n".encode())
    with caplog.at_level(logging.WARNING):
        dataset = LineDataset(str(path), ByteDictionary(), max_length=4)
    assert [dataset.dictionary.decode(dataset[i]) for i in range(2)] == ["a", "xy"]
    assert dataset.sizes.max() <= 4
    assert "1 of 2 sentences" in caplog.text


def test_lines_that_are_not_utf8_are_counted(tmp_path, caplog):
    path = tmp_path / "text"
    path.write_bytes(b"caf\xe9\nok\n\xff\n")
    with caplog.at_level(logging.WARNING):
        dataset = LineDataset(str(path), ByteDictionary())
    assert dataset.line_bytes(0) == b"caf\xe9"
    assert f"{path}: 2 of 3 lines are not UTF-8" in caplog.text


def test_the_index_is_cached_and_follows_the_file(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\n")
    assert len(open_line_index(str(path))) == 2
    cache = tmp_path / "text.lines.npy"
    assert cache.exists()
    assert isinstance(open_line_index(str(path)).starts, np.memmap)
    path.write_bytes(b"a\nb\nc\n")
    assert len(open_line_index(str(path))) == 3
    assert len(open_line_index(str(path))) == 3


def rewrite_in_place(path, content):
    path.write_bytes(content)


def put_another_in_place(path, content):
    (path.parent / "other").write_bytes(content)
    os.replace(path.parent / "other", path)


@pytest.mark.parametrize("change", [rewrite_in_place, put_another_in_place])
def test_a_text_of_the_same_size_and_time_is_read_anew(tmp_path, chars, change):
    path = tmp_path / "text"
    path.write_bytes("a\n世a\n".encode())
    lines_of(path)
    LineDataset(str(path), chars)
    stat = path.stat()
    change(path, "世a\na\n".encode())
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert path.stat().st_size == stat.st_size
    assert path.stat().st_mtime_ns == stat.st_mtime_ns
    assert lines_of(path) == ["世a".encode(), b"a"]
    assert LineDataset(str(path), chars).sizes.tolist() == [3, 2]


@pytest.mark.parametrize("broken", [b"", b"junk", b"\x93NUMPY\x01\x00"])
def test_a_broken_cache_is_built_again(tmp_path, broken):
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\n")
    (tmp_path / "text.lines.npy").write_bytes(broken)
    assert len(open_line_index(str(path))) == 2
    assert isinstance(open_line_index(str(path)).starts, np.memmap)


def test_a_cut_cache_is_built_again(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\n" * 100)
    open_line_index(str(path))
    cache = tmp_path / "text.lines.npy"
    cache.write_bytes(cache.read_bytes()[:-8])
    assert len(open_line_index(str(path))) == 200


def test_a_directory_that_cannot_be_written_works_without(tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "read-only")

    path = tmp_path / "text"
    path.write_bytes(b"a\nb\n")
    monkeypatch.setattr(array_cache.tempfile, "mkstemp", refuse)
    assert lines_of(path) == [b"a", b"b"]
    assert os.listdir(tmp_path) == ["text"]


# --- other units ----------------------------------------------------------------


def test_sizes_of_another_unit(tmp_path, chars, caplog):
    path = tmp_path / "text"
    path.write_bytes("a世\n\n世 x\n".encode() + b"\xff\n")
    with caplog.at_level(logging.INFO):
        dataset = LineDataset(str(path), chars, max_length=3)
    assert dataset.sizes.dtype == np.int32
    assert dataset.sizes.tolist() == [3, 1, 3, 2]
    assert [len(dataset[i]) for i in range(4)] == [3, 1, 3, 2]
    for message in (
        "2 of 6 characters (33.333%) are <unk>",
        "1 of 4 lines are not UTF-8; they are used as U+FFFD",
        "1 of 4 sentences have more than 2 characters and are cut there",
    ):
        assert f"{path}: {message}" in caplog.text


def test_sizes_are_counted_once_and_follow_text_and_vocabulary(
    tmp_path, chars, monkeypatch, caplog
):
    path = tmp_path / "text"
    path.write_bytes("a世b\n".encode())
    counted = []
    count = line_sizes._count
    monkeypatch.setattr(
        line_sizes, "_count", lambda *args: counted.append(1) or count(*args)
    )

    def load(dictionary):
        with caplog.at_level(logging.INFO):
            caplog.clear()
            return LineDataset(str(path), dictionary).sizes.tolist()

    for expected in (1, 1):
        assert load(chars) == [4]
        assert "1 of 3 characters" in caplog.text  # from the cache as well
        assert len(counted) == expected
    path.write_bytes(b"a\nb\n")
    assert load(chars) == [2, 2]
    assert len(counted) == 2
    (tmp_path / "dict.char.xx.txt").write_bytes(b"a 1\nb 1\n")
    assert load(CharDictionary.from_file(chars.path)) == [2, 2]
    assert "0 of 2 characters" in caplog.text
    assert len(counted) == 3
    os.utime(chars.path)  # the same vocabulary, a copy of it for instance
    load(CharDictionary.from_file(chars.path))
    assert len(counted) == 3
    (tmp_path / "text.char.npy").write_bytes(b"junk")
    assert load(CharDictionary.from_file(chars.path)) == [2, 2]
    assert len(counted) == 4


def test_sizes_in_a_directory_that_cannot_be_written(tmp_path, chars, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "read-only")

    (tmp_path / "text").write_bytes("a世\n".encode())
    monkeypatch.setattr(array_cache.tempfile, "mkstemp", refuse)
    assert LineDataset(str(tmp_path / "text"), chars).sizes.tolist() == [3]
    assert sorted(os.listdir(tmp_path)) == ["dict.char.xx.txt", "text"]
