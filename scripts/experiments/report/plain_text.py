"""The table of what was learned from plain text: each system's last validation."""

from ..grid.commands import Commands, join
from ..steps.recording import read_json
from .approximation import last_validation
from .summary import Summary, detail, write_summary


def write_report(plan, experiment, folder):
    """Write the results of a PlainText.

    Args:
        plan (Plan)
        experiment (PlainText)
        folder (Path)
    """
    commands, rows, details = Commands(plan), [], []
    (setting,) = plan.settings_of(experiment.name)
    for run in plan.runs_of(setting):
        run_dir = commands.run_dir(run)
        record = read_json(f"{run_dir}/trained.json")
        row = {"system": run.system}
        if experiment.scores:
            found = last_validation(f"{run_dir}/train.log", "valid")
            row["updates"] = int(found["num_updates"])
            row.update((name, found[name]) for name in experiment.scores)
        rows.append({**row, "seconds": round(record["seconds"])})
        steps = [*experiment.data_steps(plan.grid), record["command"]]
        details.append(detail(run, list(map(join, steps)), record))
    note = "The last validation of each; losses in bits."
    if not experiment.scores:
        note = "How long they took; the log of each says how they learned."
    about = experiment.name, plan.grid.profile, experiment.title
    write_summary(Summary(*about, note, rows, details, 3), folder)
