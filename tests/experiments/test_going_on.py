"""A training goes on from the newest whole checkpoint; its sessions are added up."""

import os
import zipfile

import pytest

from scripts.experiments.steps.going_on import counted_time, restore_last

from .helpers import write


def checkpoint(folder, name, when):
    path = folder / f"checkpoint{name}.pt"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("name", name)
    os.utime(path, (when, when))
    return path


@pytest.mark.parametrize(
    ("names", "cut", "newest"),
    [
        (["_2_90", "_2_100", "_2_110"], ["_2_110"], "_2_100"),
        (["_2_100", "_best"], [], "_2_100"),
        (["_best"], [], "_best"),  # all that quickstart has
        (["1", "2", "_best"], ["2"], "_best"),
        (["_best", "1", "2"], [], "2"),
    ],
)
def test_a_checkpoint_cut_short_gives_way(tmp_path, capsys, names, cut, newest):
    last = checkpoint(tmp_path, "_last", 0)
    whole = last.read_bytes()
    restore_last(tmp_path)
    assert (last.read_bytes(), capsys.readouterr().out) == (whole, "")
    for when, name in enumerate(names, 1):
        path = checkpoint(tmp_path, name, when)
        if name in cut:
            os.truncate(path, 20)
    os.truncate(last, 20)
    restore_last(tmp_path)
    assert last.read_bytes() == (tmp_path / f"checkpoint{newest}.pt").read_bytes()
    assert f"cut short; going on from {tmp_path}/checkpoint{newest}" in (
        capsys.readouterr().out
    )


def test_without_any_whole_checkpoint_training_starts_anew(tmp_path, capsys):
    write(tmp_path / "checkpoint_last.pt", "cut")
    restore_last(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert "from the start" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("record", "log_ends", "expected"),
    [
        (None, None, 0),
        ("100.0 160.0\n", 500, 60),
        ("100.0 \n", 130, 30),  # killed
        ("100.0 160.0\n200.0 \n", 210, 70),
        ("100.0 \n", 50, 0),  # killed before it wrote a line
        ("100.0 \n", None, 0),
    ],
)
def test_sessions_are_added_up(tmp_path, record, log_ends, expected):
    if record:
        write(tmp_path / "seconds", record)
    if log_ends:
        os.utime(write(tmp_path / "log", "x"), (log_ends, log_ends))
    with counted_time(tmp_path / "seconds", tmp_path / "log") as seconds:
        assert seconds() == pytest.approx(expected, abs=0.5)
    lines = (tmp_path / "seconds").read_text().strip().split("\n")
    assert len(lines) == 1 + (record or "").count("\n")
    assert all(len(line.split()) == 2 for line in lines)
