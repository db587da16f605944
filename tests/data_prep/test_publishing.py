"""What other runs, dead or alive, find in a data directory."""

import os
import signal
import subprocess
import sys
import time

import pytest

from data_prep.staging import Staging

from ..helpers import REPO
from .helpers import everything, lines_of, numbered, recorded, run_pair, run_prepare

SCRIPT = REPO / "data_prep/prepare.py"


def test_several_pairs_share_a_directory(tmp_path):
    out, _ = run_pair(tmp_path, ["a"], ["b"])
    (out / "spm.en.model").write_bytes(b"made from it")
    run_prepare(out, "--pair", tmp_path / "in.xx", tmp_path / "in.en", "-s", "yy")
    assert set(everything(out)) == {
        *("train.xx-en.xx", "train.xx-en.en", "train.yy-en.yy", "train.yy-en.en"),
        *("stats.json", "spm.en.model"),
    }
    assert recorded(out)["read"] == 1


def test_a_test_set_of_another_run_is_refused(tmp_path):
    out, _ = run_pair(tmp_path, *numbered(100), "--num-test", 10)
    before = everything(out)
    with pytest.raises(
        ValueError, match="test.xx-en.xx is from another run.*another --out"
    ):
        run_pair(tmp_path, *numbered(100), out=out)
    assert everything(out) == before


class Killed(BaseException):
    pass


@pytest.mark.parametrize("step", range(1, 6))
def test_half_published_pairs_cannot_be_trained_on(tmp_path, monkeypatch, step):
    """Wherever a second run dies, train is either absent in part, or new and whole."""
    out, _ = run_pair(tmp_path, *numbered(100), "--num-test", 10, "--max-bytes", 100)
    replace, calls = os.replace, []

    def dying_replace(old, new):
        if os.path.basename(new) != "stats.json":
            calls.append(new)
            if len(calls) == step:
                raise Killed
        replace(old, new)

    monkeypatch.setattr(os, "replace", dying_replace)
    new = numbered(90)
    flags = "--num-test", 5
    if step < 5:
        with pytest.raises(Killed):
            run_pair(tmp_path, *new, *flags, out=out)
        assert not all((out / f"train.xx-en.{lang}").exists() for lang in ("xx", "en"))
        assert "xx-en" not in (out / "stats.json").read_text()
    monkeypatch.setattr(os, "replace", replace)
    _, stats = run_pair(tmp_path, *new, *flags, out=out)
    assert len(lines_of(out)) == stats["splits"]["train"]
    assert len(everything(out)) == 5


def test_a_killed_run_leaves_nothing_that_looks_complete(tmp_path):
    """A run that waits for its input is killed: nothing is there but its hidden folder,
    its workers end, and the next run clears it away."""
    pipe = tmp_path / "in.xx"
    os.mkfifo(pipe)
    out = tmp_path / "out"
    command = [
        *(sys.executable, SCRIPT, "-s", "xx", "-t", "en", "--out", out),
        *("--tsv", pipe, "--workers", 2),
    ]
    process = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with open(pipe, "wb") as writer:
        writer.write(b"a\tb\n")
        writer.flush()
        # The reader now waits for the end of the pipe.
        while not list(out.glob(".prepare.xx-en.*/train*")):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        # The pipes close only when the workers, which hold them too, have ended.
        process.communicate()
    assert [path.name[:15] for path in out.iterdir()] == [".prepare.xx-en."]
    pipe.unlink()
    run_pair(tmp_path, ["a"], ["b"], out=out)
    assert set(everything(out)) == {"stats.json", "train.xx-en.xx", "train.xx-en.en"}


def test_a_run_at_work_is_left_alone(tmp_path):
    with Staging(str(tmp_path / "out"), "xx-en") as staging:
        open(staging.path("train"), "w").close()
        run_pair(tmp_path, ["a"], ["b"])
        assert os.path.exists(staging.path("train"))
