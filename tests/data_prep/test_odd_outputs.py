"""Every writer of data_prep where nothing can be written: one sentence, nothing changed."""

import errno
import json
import os
import resource
import signal
import sys
from contextlib import contextmanager

import pytest

from data_prep import build_vocab, build_word_dict, few_shot, output
from fairseq_bytefusion.data.lines.line_index import open_line_index

from ..helpers import write_pair
from .helpers import everything, lines_of, recorded, run_pair, run_prepare, write

SIDES = [f"satz {i} äöü" for i in range(2000)], [f"sentence {i}" for i in range(2000)]


@contextmanager
def largest_file(size):
    """As ``ulimit -f``; Python ignores the signal, so that writing is an error."""
    assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


def run_main(module, *flags):
    main = module.main
    original, sys.argv = sys.argv, ["script", *map(str, flags)]
    try:
        main()
    finally:
        sys.argv = original


PAIR = "-s", "xx", "-t", "en"
#: writer -> its output folder below the data directory, and how to run it on that
WRITERS = {
    "prepare": (
        "../out",
        lambda data, out: run_prepare(
            *(out, "--pair", data / "train.xx-en.xx", data / "train.xx-en.en"),
            *("--num-valid", 10, "--max-bytes", 100),
        ),
    ),
    "few_shot": (
        "../out/1500",
        lambda data, out: few_shot.main(
            [str(data), *PAIR, "--out", str(out.parent), "--sizes", "1500"]
        ),
    ),
    "build_vocab": (
        "",
        lambda data, out: build_vocab.main(
            [str(data), *PAIR, "--source-size", "60", "--target-size", "60"]
        ),
    ),
    "build_word_dict": (
        "",
        lambda data, out: run_main(build_word_dict, data, *PAIR, "--min-count", 1),
    ),
}


@pytest.fixture()
def data(tmp_path):
    (tmp_path / "data").mkdir()
    write_pair(tmp_path / "data", "train", *SIDES)
    return tmp_path / "data"


def out_of(data, writer):
    folder, run = WRITERS[writer]
    return (data / folder).resolve(), run


@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk(data, writer):
    out, run = out_of(data, writer)
    limit = 300 if writer == "build_vocab" else 8000
    for old in (False, True):
        if old:
            run(data, out)
        before = everything(out) if out.exists() else {}
        with largest_file(limit), pytest.raises(OSError) as error:
            run(data, out)
        assert error.value.filename.startswith(f"{out}/")
        assert not os.path.basename(error.value.filename).startswith(".")
        assert error.value.strerror == (
            "File too large: make room there, or write somewhere else"
        )
        assert (everything(out) if out.exists() else {}) == before
    assert len(everything(out)) > 1


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_what_cannot_be_written_to(data, writer, number, monkeypatch):
    out, run = out_of(data, writer)
    run(data, out)
    before = everything(out)

    def refuse(prefix, dir):
        raise OSError(number, os.strerror(number), os.path.join(dir, prefix + "x1y2"))

    monkeypatch.setattr(output.tempfile, "mkdtemp", refuse)
    monkeypatch.setattr(output.tempfile, "mkstemp", refuse)
    with pytest.raises(OSError, match="write somewhere else") as error:
        run(data, out)
    assert "x1y2" not in str(error.value)
    assert error.value.filename.startswith(str(out))
    assert everything(out) == before


@pytest.mark.parametrize("writer", WRITERS)
def test_an_output_that_is_there_is_replaced(data, writer):
    out, run = out_of(data, writer)
    run(data, out)
    before = everything(out)
    for name in before:
        if not name.startswith("train") and name != "stats.json":
            (out / name).write_bytes(b"old")
    run(data, out)
    assert everything(out) == before


#: writer -> one of its outputs
OUTPUTS = {
    "prepare": "valid.xx-en.en",
    "few_shot": "train.xx-en.en",
    "build_vocab": "dict.char.en.txt",
    "build_word_dict": "dict.word.xx.txt",
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_file_that_may_not_be_written_stays(data, writer, monkeypatch):
    out, run = out_of(data, writer)
    run(data, out)
    before, path = everything(out), str(out / OUTPUTS[writer])
    access = os.access  # root may write everything
    monkeypatch.setattr(os, "access", lambda p, mode: str(p) != path and access(p, mode))
    with pytest.raises(
        PermissionError, match="is read-only: write somewhere else"
    ) as error:
        run(data, out)
    assert error.value.filename == path
    assert everything(out) == before


@pytest.mark.parametrize("writer", WRITERS)
def test_a_folder_in_place_of_an_output(data, writer):
    out, run = out_of(data, writer)
    name = OUTPUTS[writer]
    (out / name).mkdir(parents=True)
    before = sorted(os.listdir(out))
    with pytest.raises(
        (OSError, ValueError), match=f"{name}.* is a folder|is a folder.*{name}"
    ):
        run(data, out)
    assert sorted(os.listdir(out)) == before


@pytest.mark.parametrize("writer", ["prepare", "few_shot"])
def test_a_file_in_place_of_the_folder(data, writer):
    out, run = out_of(data, writer)
    out.parent.mkdir(exist_ok=True)
    out.write_bytes(b"mine")
    with pytest.raises(OSError, match=f"is no folder.*{out}"):
        run(data, out)
    assert out.read_bytes() == b"mine"


@pytest.mark.parametrize("writer", ["prepare", "few_shot"])
@pytest.mark.parametrize("old", [False, True])
def test_stats_that_cannot_be_written_publish_nothing(data, writer, old, monkeypatch):
    out, run = out_of(data, writer)
    if old:
        run(data, out)
    before = everything(out) if old else {}

    def refuse(*args, **kwargs):
        raise UnicodeEncodeError("utf-8", "x", 0, 1, "no")

    with monkeypatch.context() as patched:
        patched.setattr(json, "dumps", refuse)
        with pytest.raises(UnicodeEncodeError):
            run(data, out)
    assert everything(out) == before
    if writer == "prepare":  # its text fits, its stats.json does not
        long = write(data / ("x" * 200), ["a\tb"])
        inputs = [flag for _ in range(60) for flag in ("--tsv", long)]
        inputs += ["--valid-pair", long, long]
        with largest_file(4000), pytest.raises(OSError, match="stats.json"):
            run_prepare(out, *inputs)
        assert everything(out) == before
    (out / "stats.json").write_bytes(b"junk")
    with pytest.raises(ValueError, match="stats.json cannot be read .*: delete it"):
        run(data, out)


def test_names_that_are_not_utf8(tmp_path):
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    out, stats = run_pair(folder, ["a"], ["b"])
    assert lines_of(out) == [(b"a", b"b")]
    assert recorded(out) == stats
    assert os.fsencode(stats["inputs"][0][0]).endswith(b"caf\xe9/in.xx")
    run_prepare(out, "--pair", folder / "in.xx", folder / "in.en", "-s", "yy")
    assert recorded(out) == stats


def test_an_index_without_room_is_temporary(tmp_path, caplog):
    path = tmp_path / "text"
    path.write_bytes(b"a\n" * 5000)
    caplog.set_level("INFO")
    for old in (False, True):
        if old:
            open_line_index(str(path))
            path.write_bytes(b"a\n" * 6000)
        before = everything(tmp_path)
        with largest_file(8000):
            assert len(open_line_index(str(path))) == 5000 + 1000 * old
        assert everything(tmp_path) == before
        assert f"{path}.lines.npy is not kept: [Errno 27] File too large" in caplog.text
