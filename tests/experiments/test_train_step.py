"""A training goes on where it was, is refused where it is another, and is alone."""

import fcntl
import json
import signal
import subprocess
import sys
import time
import zipfile

import pytest

from scripts.experiments.steps.recording import read_json
from scripts.experiments.steps.train import check_configuration

from ..helpers import REPO
from .helpers import write

STEP = REPO / "scripts/experiments/steps/train.py"

# Stands for fairseq-train: saves a checkpoint, then waits to be killed or ends.
TRAINER = """
import sys, time, zipfile
from pathlib import Path
folder = Path(sys.argv[1])
folder.mkdir(exist_ok=True)
seen = folder / "checkpoint_last.pt"
print("resumed" if seen.exists() else "new", *sys.argv[2:], flush=True)
with zipfile.ZipFile(seen, "w") as file:
    file.writestr("x", "x")
while "wait" in sys.argv[2:] and not (folder / "go").exists():
    time.sleep(0.05)
sys.exit("boom" if "fail" in sys.argv[2:] else 0)
"""


@pytest.fixture
def step(tmp_path):
    """A function that gives the command line of a training in ``tmp_path/run``."""
    data = tmp_path / "data"
    write(data / "train.xx-en.xx", "a\n")
    tokens = {"train": {"byte": 50.0, "char": 40.0, "sentencepiece": 15.0}}
    write(data / "tokens.json", json.dumps(tokens))
    trainer = write(tmp_path / "trainer.py", TRAINER)

    def command(*words, unit="byte"):
        return [
            *(sys.executable, STEP, "--run", tmp_path / "run", "--data", data),
            *("--tokens", data / "tokens.json", "--unit", unit, "--max-tokens", "4000"),
            *("--", sys.executable, trainer, tmp_path / "run/checkpoints", *words),
        ]

    return command


def run(command):
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=60, check=False
    )


def log(tmp_path):
    return (tmp_path / "run/train.log").read_text().strip().split("\n")


def wait_for(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("unit", "tokens"), [("byte", "4000"), ("char", "3200"), ("sentencepiece", "1200")]
)
def test_batches_of_every_unit_hold_as_many_sentences(step, tmp_path, unit, tokens):
    assert run(step(unit=unit)).returncode == 0
    assert log(tmp_path) == [f"new --max-tokens {tokens}"]
    record = read_json(tmp_path / "run/trained.json")
    assert record["command"][-1] == tokens
    assert list(record["data"]) == ["train.xx-en.xx"]
    assert record["versions"]["torch"]


def test_a_killed_training_goes_on(step, tmp_path):
    process = subprocess.Popen(list(map(str, step("wait"))))
    checkpoint = tmp_path / "run/checkpoints/checkpoint_last.pt"
    wait_for(lambda: checkpoint.exists() and zipfile.is_zipfile(checkpoint))
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) != 0
    assert not (tmp_path / "run/trained.json").exists()
    # The trainer went with its wrapper: nothing holds the folder any more.
    write(tmp_path / "run/checkpoints/go", "")
    assert run(step("wait")).returncode == 0
    assert [line.split()[0] for line in log(tmp_path)] == ["new", "resumed"]
    seconds = read_json(tmp_path / "run/trained.json")["seconds"]
    sessions = (tmp_path / "run/seconds").read_text().strip().split("\n")
    both = [float(end) - float(start) for start, end in map(str.split, sessions)]
    assert len(both) == 2
    assert seconds == pytest.approx(sum(both), abs=0.5)


def test_a_failed_training_shows_the_end_of_its_log(step, tmp_path):
    result = run(step("fail"))
    assert result.returncode == 1
    assert "the training ended with status 1; what it did is kept" in result.stderr
    assert result.stderr.strip().endswith("boom")
    assert not (tmp_path / "run/trained.json").exists()


def test_another_configuration_is_refused(step, tmp_path):
    assert run(step("--lr", "1")).returncode == 0
    result = run(step("--lr", "2", "--dropout", "0.3"))
    assert result.returncode == 1
    assert result.stderr == (
        f"train.py: {tmp_path / 'run'} was begun with another configuration (--dropout was "
        "absent, is 0.3; --lr was 1, is 2): delete that folder to train anew, or name "
        "another `work` in the profile's grid.yaml to keep it\n"
    )
    assert len(log(tmp_path)) == 1


def test_other_data_are_refused(step, tmp_path):
    assert run(step()).returncode == 0
    write(tmp_path / "data/train.xx-en.xx", "b\n")
    result = run(step())
    assert result.returncode == 1
    assert "(train.xx-en.xx is another file)" in result.stderr


def test_a_configuration_that_never_trained_may_change(tmp_path):
    for learning_rate in "12":
        configuration = {"command": ["train", "--lr", learning_rate], "data": {}}
        check_configuration(tmp_path, configuration)
    assert read_json(tmp_path / "configuration.json")["command"][-1] == "2"


def test_one_folder_is_trained_by_one_process(step, tmp_path):
    (tmp_path / "run").mkdir()
    with open(tmp_path / "run/.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = run(step())
    assert result.returncode == 1
    assert "is being trained by another process: wait for it, or end it" in result.stderr
