"""The table of models that label: each seed and their mean, clean and misspelt."""

import json

from ..grid.commands import join
from ..labels.commands import MISSPELT, LabelCommands
from ..steps.recording import read_json
from .figures import dot_chart
from .palette import SYSTEMS
from .summary import Summary, detail, write_summary

#: what bytefusion evaluate gives; span_f1 where labels are those of spans
SCORES = ("accuracy", "macro_f1", "weighted_f1", "span_f1")
MEAN = "mean"
#: of the two test sets in figures
STYLES = (SYSTEMS["byte_dense"], SYSTEMS["byte_ncf_dense"])


def write_report(plan, experiment, folder):
    """Write the results of a Labelling.

    Args:
        plan (Plan)
        experiment (Labelling)
        folder (Path)
    """
    commands, rows, details = LabelCommands(plan), [], []
    for setting in plan.settings_of(experiment.name):
        for system, seeds in experiment.seeds_by_system(setting).items():
            runs = [r for r in plan.runs_of(setting) if r.system == system]
            mine = [_row(commands, run) for run in runs]
            rows += mine + [_mean(mine)] * (len(seeds) > 1)
            details += [_detail(commands, experiment, run) for run in runs]
    about = experiment.name, plan.grid.profile, experiment.title
    note = _note(commands, experiment)
    charts = list(_charts(rows))
    write_summary(Summary(*about, note, rows, details, 2, charts), folder)


def _row(commands, run):
    scores = {}
    for test in run.setting.tests:
        found = read_json(commands.scores(run, test))
        suffix = "" if test.name == "clean" else f", {test.name}"
        scores.update((f"{s}{suffix}", float(found[s])) for s in SCORES if s in found)
    record = read_json(f"{commands.run_dir(run)}/trained.json")
    return {
        **({"encoder": run.setting.name} if run.setting.start else {}),
        **{"system": run.system, "seed": run.seed, **scores},
        "seconds": round(record["seconds"]),
    }


def _mean(rows):
    """The row of the means of several seeds."""
    return {
        key: sum(r[key] for r in rows) / len(rows) if isinstance(cell, float) else cell
        for key, cell in {**rows[0], "seed": MEAN, "seconds": ""}.items()
    }


def _detail(commands, experiment, run):
    record = read_json(f"{commands.run_dir(run)}/trained.json")
    steps = [
        *commands.data_steps(experiment),
        record["command"],
        commands.average(run),
        *(commands.evaluate(run, test) for test in run.setting.tests),
    ]
    return detail(run, list(map(join, steps)), record)


def _note(commands, experiment):
    path = f"{commands.data_dir(experiment.name)}/{MISSPELT}.json"
    with open(path, encoding="utf-8") as file:
        counts = json.load(file)
    changed = counts["misspelt"]
    return (
        f"In percent; F1 over labels, span_f1 over spans as conlleval counts them. At most "
        f"{experiment.epochs} epochs; the checkpoint with the best {experiment.metric} of "
        f"validation. Misspelt: {changed} of the {counts['changeable']} words of the test "
        f"set that an operation can change, {100 * changed / counts['words']:.1f}% of its "
        f"{counts['words']} words; training has no such noise."
    )


def _charts(rows):
    """(caption, svg) of each score, of means where there are several seeds."""
    has_mean = {_name(row) for row in rows if row["seed"] == MEAN}
    shown = [r for r in rows if r["seed"] == MEAN or _name(r) not in has_mean]
    marks = list(zip(("clean", "misspelt"), STYLES))
    for score in SCORES:
        if score in shown[0]:
            values = {_name(r): [r[score], r[f"{score}, misspelt"]] for r in shown}
            yield score, dot_chart(values, marks, f"{score}, %")


def _name(row):
    return " ".join(filter(None, (row["system"], row.get("encoder"))))
