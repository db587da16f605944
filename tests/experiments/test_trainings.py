"""Which trainings there were, and the table of how long they took."""

import csv
import json
import shutil

import pytest

from scripts.experiments.report.trainings import time_table, write_trainings

from ..helpers import script
from .helpers import build, grid_of


def test_each_training_has_a_line_and_each_experiment_a_row(tmp_path):
    plan, commands = build({**grid_of("smoke"), "work": str(tmp_path / "work")})
    seconds = iter(range(1800, 10000, 360))
    for name in ("transfer_zero_shot", "transfer_few_shot"):
        for setting in plan.settings_of(name):
            for run in plan.runs_of(setting):
                path = tmp_path / "work" / run.path / "trained.json"
                path.parent.mkdir(parents=True)
                record = {"seconds": next(seconds) + 0.4, "versions": {"code": "abc"}}
                path.write_text(json.dumps(record), "utf-8")
    for name in ("transfer_zero_shot", "transfer_few_shot", "cross_domain"):
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        write_trainings(plan, plan.grid.experiments[name], folder)
    with open(tmp_path / "results/transfer_zero_shot/trainings.csv") as file:
        rows = list(csv.DictReader(file))
    assert [(r["setting"], r["system"], r["seconds"], r["code"]) for r in rows] == [
        ("hi", "byte_dense", "1800", "abc"),
        ("hi", "char", "2160", "abc"),
    ]
    # 2,520 and 2,880 seconds for the samples; nothing is trained across domains.
    assert time_table(tmp_path / "results") == (
        "| experiment | trainings | hours | longest, minutes |\n|---|---|---|---|\n"
        "| `transfer_few_shot` | 2 | 1.5 | 48 |\n"
        "| `transfer_zero_shot` | 2 | 1.1 | 36 |\n"
        "| all | | 2.6 | |\n"
    )
    printed = script("scripts/experiments/times.py", tmp_path / "results").stdout
    assert printed.decode() == time_table(tmp_path / "results")
    shutil.rmtree(tmp_path / "results")
    with pytest.raises(
        FileNotFoundError, match="no experiment below .* has a trainings.csv"
    ):
        time_table(tmp_path / "results")
