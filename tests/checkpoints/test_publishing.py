"""A file appears when it is complete, whatever stops it."""

import errno
import os
import resource
import signal

import pytest
import torch

from fairseq_bytefusion.checkpoints.publishing import publishing
from fairseq_bytefusion.compat.torch import save_weights


def write(path, content):
    with publishing(str(path)) as file:
        file.write(content)


def test_a_file_takes_the_place_of_another(tmp_path):
    write(tmp_path / "a", b"one")
    (tmp_path / "link").symlink_to("a")
    write(tmp_path / "link", b"two")
    assert (tmp_path / "a").read_bytes() == b"two"
    assert (tmp_path / "link").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["a", "link"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_fails_leaves_nothing(tmp_path, error):
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(error), publishing(str(tmp_path / "a")) as file:
        file.write(b"new")
        raise error
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.fixture
def small_files():
    """No file may grow over 20,000 bytes: what a full disk looks like to a program."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize(
    "fill",
    [
        lambda file: file.write(b"x" * 30000),
        lambda file: save_weights([torch.zeros(9), torch.zeros(9999)], file),
        lambda file: save_weights([torch.zeros(999) for _ in range(99)], file),
    ],
    ids=["bytes", "tensor", "tensors"],
)
def test_a_full_disk_is_named(tmp_path, small_files, fill):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with (
        pytest.raises(OSError, match="File too large") as caught,
        publishing(str(path)) as file,
    ):
        fill(file)
    assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(path))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_may_not_be_written_stays(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *args: False)  # root may write everything
    with pytest.raises(PermissionError, match=f"{path}"):
        write(path, b"new")
    assert path.read_bytes() == b"old"


def test_a_pipe_stays_one(tmp_path):
    os.mkfifo(tmp_path / "a")
    with pytest.raises(ValueError, match="a is a device or a pipe"):
        write(tmp_path / "a", b"new")
    assert (tmp_path / "a").is_fifo()


@pytest.mark.parametrize("name", [".", "none/a"])
def test_no_place_for_a_file(tmp_path, name):
    with pytest.raises(OSError) as caught:
        write(tmp_path / name, b"new")
    assert caught.value.filename == str(tmp_path / name)
