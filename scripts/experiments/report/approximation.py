"""The table of approximations: how well each loss learned the rows of each table."""

import json
import re

from ..grid.commands import Commands, join
from ..steps.recording import read_json
from .summary import Summary, detail, write_summary

#: of the clean entries; then of the misspelt ones
CLEAN = ("accuracy", "precision@1", "precision@15", "mean_precision", "average_precision")
NOISED = ("accuracy", "mean_precision", "average_precision")


def last_validation(log, subset):
    """What fairseq logged last (``--log-format json``) of a validation subset.

    Args:
        log (str)
        subset (str)

    Returns:
        dict of str to float

    Raises:
        OSError: it cannot be read.
        ValueError: none was logged.
    """
    with open(log, encoding="utf-8", errors="replace", newline="\n") as file:
        found = re.findall(rf"\| {subset} \| (\{{.*\}})", file.read())
    if not found:
        raise ValueError(f"{log} holds no validation of {subset}")
    prefix = f"{subset}_"
    return {
        name[len(prefix) :]: float(value)
        for name, value in json.loads(found[-1]).items()
        if name.startswith(prefix)
    }


def write_report(plan, experiment, folder):
    """Write the results of an EmbeddingApproximation.

    Args:
        plan (Plan)
        experiment (EmbeddingApproximation)
        folder (Path)
    """
    commands, rows, details = Commands(plan), [], []
    for setting in plan.settings_of(experiment.name):
        for run in plan.runs_of(setting):
            run_dir = commands.run_dir(run)
            record = read_json(f"{run_dir}/trained.json")
            clean, noised = (
                last_validation(f"{run_dir}/train.log", subset)
                for subset in ("clean", "noised")
            )
            row = {
                "table": setting.data,
                "noise-prob": experiment.noise_of(setting),
                "loss": run.system.replace("+", " + "),
                "updates": setting.updates,
                **{name: clean[name] for name in CLEAN},
                **{f"{name}, misspelt": noised[name] for name in NOISED},
                "seconds": round(record["seconds"]),
            }
            rows.append(row)
            details.append(detail(run, [join(record["command"])], record))
    note = (
        "Measured on the clean entries of a table, and on its longer ones, each misspelt. "
        "mean_precision is what the paper's table 2 calls average precision, the mean of "
        "precision@1 to precision@15; average_precision is that of information retrieval."
    )
    about = experiment.name, plan.grid.profile, experiment.title
    write_summary(Summary(*about, note, rows, details), folder)
