"""A report of one table, of trainings that nothing is translated with."""

import csv
import io
import json
from dataclasses import dataclass
from typing import Dict, List, Sequence

from data_prep.output import write_atomically

from .templates import render


@dataclass
class Summary:
    """``rows``: header -> cell, each of the same headers; floats are shown with so many
    ``decimals``. ``note``: what a reader must know; ``details``: see :func:`detail`;
    ``charts``: (caption, svg) of each."""

    experiment: str
    profile: str
    title: str
    note: str
    rows: List[Dict[str, object]]
    details: List[tuple]
    decimals: int = 4
    charts: Sequence[tuple] = ()


def detail(run, commands, record):
    """How a run was made.

    Args:
        run (Run)
        commands (list of str): of all its steps.
        record (dict): what steps/train.py wrote.

    Returns:
        tuple: title, commands, and what they were made with as JSON.
    """
    about = {"versions": record["versions"], "sha256": record["data"]}
    name = f"{run.setting.name} / {run.system} / seed {run.seed}"
    return name, commands, json.dumps(about, indent=2, ensure_ascii=False)


def write_summary(summary, folder):
    """Write ``table.md``, ``table.csv`` and ``report.html``.

    Args:
        summary (Summary)
        folder (Path): made if there is none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    header = list(summary.rows[0])
    rows = [[_shown(row[key], summary.decimals) for key in header] for row in summary.rows]
    lines = [header, ["---"] * len(header), *rows]
    page = render("summary.html.j2", **{**vars(summary), "header": header, "rows": rows})
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    for name, text in (
        ("table.csv", _csv(summary.rows)),
        ("table.md", f"{summary.note}\n\n{table}\n"),
        ("report.html", page),
    ):
        write_atomically(str(folder / name), text.encode())


def _shown(cell, decimals):
    return f"{cell:.{decimals}f}" if isinstance(cell, float) else str(cell)


def _csv(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
