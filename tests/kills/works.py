"""What is killed: each goes on in a folder that may hold what was done before."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from data_prep import prepare as _  # noqa: F401  (for the processes that start here)
from fairseq_bytefusion import cli
from fairseq_bytefusion.data.lines.line_index import open_line_index

from ..data_prep.helpers import run_prepare
from ..helpers import REPO
from ..tasks.running import train_here

NUM_LINES = 400_000
GRID_FOLDER = "data/embeddingless"


def train(folder):
    """Ten updates, saved every second; 60 pairs are four batches."""
    train_here(
        folder.parent / "data", folder,
        "--max-tokens", "20000", "--batch-size", "16", "--max-update", "10",
        "--save-interval-updates", "2", "--keep-interval-updates", "2",
    )  # fmt: skip


def prepare(folder):
    """A pair that is deduplicated and split."""
    files = (folder.parent / "in.xx", folder.parent / "in.en")
    run_prepare(folder, "--pair", *files, "--num-valid", "50", "--num-test", "50")


def index(folder):
    """The lines of a text, and its cache beside it."""
    folder.mkdir(exist_ok=True)
    text = folder / "text"
    if not text.exists():
        os.link(folder.parent / "text", text)
    assert len(open_line_index(str(text))) == NUM_LINES


def average(folder):
    """Two checkpoints."""
    folder.mkdir(exist_ok=True)
    paths = [str(folder.parent / f"{name}.pt") for name in "ab"]
    assert cli.main(["average", *paths, "--output", str(folder / "average.pt")]) == 0


def smoke_grid(folder):
    """The cheapest step of the grid that writes more than one file."""
    places = {"work": folder, "data_root": folder / "raw", "results": folder / "results"}
    path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    with tempfile.TemporaryFile() as log:
        status = subprocess.run(
            [
                *(sys.executable, "-m", "snakemake", "-s", "scripts/experiments/Snakefile"),
                *("--profile", "scripts/experiments/profiles/smoke", "--nolock"),
                *(f"{folder}/{GRID_FOLDER}/hi.prepared", "--config"),
                *(f"{key}={Path(place)}" for key, place in places.items()),
            ],
            cwd=REPO,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(REPO)},
            stdout=log,
            stderr=log,
            check=False,
        ).returncode
        log.seek(0)
        assert status == 0, log.read()[-3000:].decode("utf-8", "replace")
