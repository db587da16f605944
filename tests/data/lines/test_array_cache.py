import logging
import os
from types import SimpleNamespace

import numpy as np
import pytest

from fairseq_bytefusion.data.lines import array_cache
from fairseq_bytefusion.data.lines.array_cache import (
    GrowingArray,
    file_key,
    pack_int32,
    read_array,
    spilled,
    unpack_int32,
    write_array,
)


@pytest.mark.parametrize("length", [0, 1, 2, 5])
def test_int32_in_a_cache_of_int64(tmp_path, length):
    numbers = np.arange(length, dtype=np.int32) - 2
    path = str(tmp_path / "cache.npy")
    written = write_array(path, [7], np.array([9, 8]), pack_int32(numbers))
    assert isinstance(written, np.memmap)
    for found in (written, read_array(path, [7])):
        assert found[:2].tolist() == [9, 8]
        unpacked = unpack_int32(found[2:], length)
        assert unpacked.dtype == np.int32
        assert unpacked.tolist() == numbers.tolist()
    assert read_array(path, [8]) is None
    with pytest.raises(ValueError, match="do not hold"):
        unpack_int32(written[2:], length + 2)


@pytest.mark.parametrize("place", [0, 4095, 50_000, 99_999])
def test_a_change_shows_even_where_all_times_are_the_same(tmp_path, monkeypatch, place):
    path = tmp_path / "text"
    path.write_bytes(bytes(100_000))
    stat = os.stat(path)
    monkeypatch.setattr(array_cache.os, "fstat", lambda _: stat)
    before = file_key(path)
    assert file_key(path) == before
    with open(path, "r+b") as file:
        file.seek(place)
        file.write(b"x")
    assert file_key(path) != before


@pytest.mark.parametrize("name", ["st_size", "st_mtime_ns", "st_ctime_ns", "st_ino"])
def test_a_file_is_another_by_any_of_its_numbers(tmp_path, monkeypatch, name):
    path = tmp_path / "text"
    path.write_bytes(b"a\n")
    stat = os.stat(path)
    numbers = {n: getattr(stat, n) for n in dir(stat) if n.startswith("st_")}
    before = file_key(path)
    numbers[name] += 1
    monkeypatch.setattr(array_cache.os, "fstat", lambda _: SimpleNamespace(**numbers))
    assert file_key(path) != before


def test_the_key_of_a_large_file_takes_a_few_blocks(tmp_path, monkeypatch):
    path = tmp_path / "text"
    with open(path, "wb") as file:
        file.truncate(10 << 30)  # no room is taken
    sizes = []
    open_file = open

    class Counted:
        def __init__(self, *args):
            self._file = open_file(*args)
            self.seek, self.fileno = self._file.seek, self._file.fileno

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self._file.close()

        def read(self, size):
            sizes.append(size)
            return self._file.read(size)

    monkeypatch.setattr(array_cache, "open", Counted, raising=False)
    file_key(path)
    assert sum(sizes) <= 1 << 18


def is_in_memory(array):
    while array.base is not None:
        array = array.base
        if isinstance(array, np.memmap):
            return False
    return True


def test_large_arrays_are_spilled_once(monkeypatch):
    monkeypatch.setattr(array_cache, "MIN_SPILLED_BYTES", 32)
    small, large = np.arange(3), np.arange(4)
    assert spilled(small) is small
    found = spilled(large)
    assert not is_in_memory(found)
    assert found.dtype == large.dtype
    assert found.tolist() == large.tolist()
    assert not found.flags.writeable
    assert spilled(found) is found
    tail = found[1:]
    assert spilled(tail) is tail


def test_a_full_disk_leaves_the_array_in_memory(monkeypatch, caplog):
    def refuse():
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(array_cache, "MIN_SPILLED_BYTES", 1)
    monkeypatch.setattr(array_cache.tempfile, "TemporaryFile", refuse)
    array = np.arange(4)
    with caplog.at_level(logging.INFO):
        assert spilled(array) is array
    assert "32 bytes are kept in memory: [Errno 28]" in caplog.text


def test_a_growing_array_is_its_parts():
    parts = [np.arange(k) for k in (3, 0, 70_000, 1, 300_000)]
    growing = GrowingArray(np.int32)
    for part in parts:
        growing.extend(part)
    assert growing.array.dtype == np.int32
    assert (growing.array == np.concatenate(parts)).all()
