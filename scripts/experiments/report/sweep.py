"""The table of a sweep: what each combination of values learned."""

from ..grid.commands import join
from ..pairs.commands import PairCommands
from ..steps.recording import read_json
from .summary import Summary, detail, write_summary
from .validation_bits import bits_per_byte

LAST, BEST = "bits a byte at the end", "best"


def write_report(plan, experiment, folder):
    """Write the results of a Sweep; its winner, of each system, is marked.

    Args:
        plan (Plan)
        experiment (Sweep)
        folder (Path)
    """
    commands, rows, details = PairCommands(plan), [], []
    combinations = experiment.combinations()
    settings = plan.settings_of(experiment.name)
    for system in experiment.systems:
        mine = [r for s in settings for r in plan.runs_of(s) if r.system == system]
        found = []
        for run in mine:
            record = read_json(f"{commands.run_dir(run)}/trained.json")
            bits = list(bits_per_byte(commands, run).values())
            values = {k: str(v) for k, v in combinations[run.setting.name].items()}
            about = {"system": system, "seed": run.seed, **values}
            results = {LAST: bits[-1], BEST: min(bits), "seconds": round(record["seconds"])}
            found.append({**about, **results})
            steps = [*commands.data_steps(run.setting), record["command"]]
            details.append(detail(run, list(map(join, steps)), record))
        winner = min(row[LAST] for row in found)
        for row in found:
            row["winner"] = "yes" if row[LAST] == winner else ""
        rows += found
    note = (
        f"Every training: {experiment.updates} updates on the data of {experiment.like}. "
        "Bits a byte: the validation loss, spread over the target's bytes; the winner of a "
        "system has the fewest at the end."
    )
    about = experiment.name, plan.grid.profile, experiment.title
    write_summary(Summary(*about, note, rows, details), folder)
