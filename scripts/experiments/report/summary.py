"""A report of one table, of trainings that nothing is translated with."""

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List

import jinja2

from data_prep.output import write_atomically

from ..grid.commands import join


@dataclass
class Summary:
    """``rows``: header -> cell, each of the same headers; floats are shown with four
    decimals. ``note``: what a reader must know; ``details``: see :func:`detail`."""

    experiment: str
    profile: str
    title: str
    note: str
    rows: List[Dict[str, object]]
    details: List[tuple]


def detail(run, steps, record):
    """How a run was made.

    Args:
        run (Run)
        steps (list of list): commands that come before its training.
        record (dict): what steps/train.py wrote.

    Returns:
        tuple: title, list of commands, and what they were made with as JSON.
    """
    commands = [*map(join, steps), join(record["command"])]
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
    rows = [[_shown(row[key]) for key in header] for row in summary.rows]
    lines = [header, ["---"] * len(header), *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    for name, text in (
        ("table.csv", _csv(summary.rows)),
        ("table.md", f"{summary.note}\n\n{table}\n"),
        ("report.html", _page(summary, header, rows)),
    ):
        write_atomically(str(folder / name), text.encode())


def _shown(cell):
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


def _csv(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _page(summary, header, rows):
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("summary.html.j2")
    return template.render({**vars(summary), "header": header, "rows": rows})
