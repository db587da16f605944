"""How a script ends that is not let finish: no traceback, the exit status of its kind."""

import io
import os
import signal
import sys

import pytest

from data_prep import prepare
from data_prep.output import run_script
from data_prep.workers import worker_map

from ..helpers import script
from .helpers import recorded, write


@pytest.fixture()
def stdout(monkeypatch):
    """A function that makes a file standard output; what is left in it is written."""
    streams = []

    def use(file):
        streams.append(os.fdopen(file, "w"))
        monkeypatch.setattr(sys, "stdout", streams[-1])

    yield use
    for stream in streams:
        stream.close()  # as Python does at exit


def status_of(main):
    """What ``run_script(main)`` gives to ``sys.exit``; 0 where it returns."""
    try:
        run_script(main)
    except SystemExit as error:
        return error.code
    return 0


@pytest.mark.parametrize("printed", ["x", "x" * 100000], ids=["little", "much"])
def test_a_closed_pipe(stdout, printed):
    reader, writer = os.pipe()
    os.close(reader)
    stdout(writer)
    assert status_of(lambda: print(printed)) == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
def test_a_full_disk(stdout, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["prepare.py"])
    stdout(os.open("/dev/full", os.O_WRONLY))
    message = "prepare.py: standard output: No space left on device"
    assert status_of(lambda: print("x")) == message


def test_an_interrupt(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
    assert status_of(interrupted) == 130


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_streams_that_are_closed(tmp_path, monkeypatch, stream):
    paths = write(tmp_path / "in.xx", ["a"]), write(tmp_path / "in.en", ["b"])
    flags = ["-s", "xx", "-t", "en", "--pair", *paths, "--out", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.setattr(sys, stream, None)
    assert status_of(lambda: prepare.main(flags)) == 0
    assert recorded(tmp_path / "out")["kept"] == 1


def handler(item):
    return signal.getsignal(signal.SIGINT)


def test_ctrl_c_is_for_the_first_process_alone():
    before = signal.getsignal(signal.SIGINT)
    with worker_map(handler, 2) as work:
        assert signal.getsignal(signal.SIGINT) == before
        assert list(work([1, 2])) == [signal.SIG_IGN] * 2


@pytest.mark.parametrize("name", ["prepare", "few_shot", "build_vocab", "build_word_dict"])
def test_no_arguments(name):
    result = script(f"data_prep/{name}.py", check=False)
    assert result.returncode == 2
    assert result.stderr.startswith(b"usage: " + name.encode())
    assert b"the following arguments are required: " in result.stderr
