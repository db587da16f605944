"""Which trainings an experiment had, and how long they took."""

import csv
import io
from pathlib import Path

from ..grid.commands import Commands
from ..steps.recording import read_json

NAME = "trainings.csv"
FIELDS = ("experiment", "setting", "system", "seed", "seconds", "code")


def write_trainings(plan, experiment, folder):
    """``trainings.csv``: each training that was made for an experiment, a line each.

    Args:
        plan (Plan)
        experiment (Experiment)
        folder (Path): of its results.

    Raises:
        OSError: a training is not there.
    """
    commands, text = Commands(plan), io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    for setting in plan.settings_of(experiment.name):
        for run in plan.runs_of(setting) if setting.models is None else ():
            record = read_json(f"{commands.run_dir(run)}/trained.json")
            about = (experiment.name, setting.name, run.system, run.seed)
            code = record["versions"]["code"]
            values = (*about, round(record["seconds"]), code)
            writer.writerow(dict(zip(FIELDS, values)))
    (Path(folder) / NAME).write_text(text.getvalue(), "utf-8")


def time_table(results):
    """How long the trainings of each experiment took, as a Markdown table.

    Args:
        results (Path): folders of experiments.

    Returns:
        str

    Raises:
        FileNotFoundError: no experiment is there.
    """
    files = sorted(results.glob(f"*/{NAME}"))
    if not files:
        raise FileNotFoundError(f"no experiment below {results} has a {NAME}")
    lines = ["| experiment | trainings | hours | longest, minutes |", "|---|---|---|---|"]
    total = 0
    for path in files:
        with open(path, encoding="utf-8", newline="") as file:
            seconds = [int(row["seconds"]) for row in csv.DictReader(file)]
        if not seconds:  # it uses the models of others
            continue
        total += sum(seconds)
        hours, longest = sum(seconds) / 3600, max(seconds) / 60
        count = f"`{path.parent.name}` | {len(seconds)}"
        lines.append(f"| {count} | {hours:.1f} | {longest:.0f} |")
    return "\n".join([*lines, f"| all | | {total / 3600:.1f} | |"]) + "\n"
