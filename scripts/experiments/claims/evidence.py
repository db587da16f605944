"""What was measured about a claim, and whether it holds at this scale: the rules."""

import csv
from dataclasses import dataclass
from pathlib import Path

from ..report.metrics import METRICS, SIGNIFICANT
from ..report.outcomes import BETTER, UNCLEAR, WORSE, agreed, outcome

#: A system learns sooner than another where it has reached the best validation loss of
#: the other before this share of the other's updates.
SOONER = 0.8

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "refuted", "undecided"
UNMEASURED = "not measured yet"

RULES = f"""
- **{CONFIRMED}**: every comparison says so: of each seed and, where an experiment has no
  average, of each test set; **{REFUTED}**: every one says the opposite; **{UNDECIDED}**:
  anything else, or a row is not trained to its end. **{UNMEASURED}**: no result is there.
- scores: a comparison says something where p < {SIGNIFICANT} (paired bootstrap over
  sentences). Of several seeds, each has its number.
- speed: where one of both has reached the best validation loss of the other before
  {SOONER:.0%} of the other's updates.
- table: where a row has the largest value of its group; no test of significance.
""".strip()


@dataclass(frozen=True)
class Verdict:
    """``measured``: the numbers in words; ``found``: one of the words above, and why."""

    measured: str
    found: str


NOTHING = Verdict("", UNMEASURED)


def judge(claim, folder):
    """Verdict of a claim.

    Args:
        claim (Claim)
        folder (Path): of the results.

    Raises:
        ValueError: a file of results lacks a column.
    """
    return {"scores": _scores, "speed": _speed, "table": _table}[claim.measure](
        claim, Path(folder)
    )


def _say(outcomes, one_seed=False):
    """What outcomes come to; a reader must know where they are of one seed."""
    found = {BETTER: CONFIRMED, WORSE: REFUTED, UNCLEAR: UNDECIDED}[agreed(outcomes)]
    if found == UNDECIDED:
        same = set(outcomes) == {UNCLEAR}
        return f"{found}: {'no clear difference' if same else 'comparisons disagree'}"
    return found + " (one seed)" * one_seed


def _read(path):
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _pairs(claim, rows):
    """Rows of comparisons.csv about a claim, the claim's system first."""
    for row in rows:
        if row["metric"] != claim.metric:
            continue
        if (row["system"], row["other"]) == (claim.system, claim.other):
            yield row
        elif (row["other"], row["system"]) == (claim.system, claim.other):
            yield {**row, "score": row["other_score"], "other_score": row["score"]}


def _scores(claim, folder):
    rows = list(_pairs(claim, _read(folder / claim.experiment / "comparisons.csv")))
    # The average where there is one, else the test sets that would be in it.
    rows = [r for r in rows if r["counts"] == "average"] or [
        r for r in rows if r["counts"] == "yes"
    ]
    rows = [row for row in rows if row["score"] and row["other_score"]]
    if not rows:
        return NOTHING
    seeds = sorted({row["seed"] for row in rows}, key=int)
    means = []
    for side in ("score", "other_score"):
        of_seeds = [[float(r[side]) for r in rows if r["seed"] == seed] for seed in seeds]
        shown = METRICS[claim.metric].shown
        means.append(" / ".join(shown.format(sum(x) / len(x)) for x in of_seeds))
    many = (
        "" if len(rows) == len(seeds) else f", mean of {len(rows) // len(seeds)} test sets"
    )
    measured = f"{claim.metric} {means[0]} against {means[1]}{many}"
    if any(row["trained"] != "yes" for row in rows):
        return Verdict(measured, f"{UNDECIDED}: not trained to its end")
    return Verdict(measured, _say([_outcome(row) for row in rows], len(seeds) == 1))


def _outcome(row):
    p_value = float(row["p_value"]) if row["p_value"] else None
    return outcome(row["metric"], float(row["score"]), float(row["other_score"]), p_value)


def _speed(claim, folder):
    curves = {}
    for row in _read(folder / claim.experiment / "curves.csv"):
        key = row["setting"], row["seed"]
        curve = curves.setdefault(row["system"], {}).setdefault(key, {})
        curve[int(row["updates"])] = float(row["bits_per_byte"])
    mine, others = curves.get(claim.system, {}), curves.get(claim.other, {})
    keys = [key for key in mine if key in others]
    if not keys:
        return NOTHING
    found = [(_reached(mine[k], others[k]), max(others[k])) for k in keys]
    outcomes = [_sooner(mine[key], others[key]) for key in keys]
    said = ", ".join(f"{reached or 'not'} of {last}" for reached, last in found)
    measured = f"the best loss of {claim.other} after {said} updates"
    return Verdict(measured, _say(outcomes, len({seed for _, seed in keys}) == 1))


def _reached(curve, other):
    """Updates after which a curve has the best loss of another; None where it never has."""
    best = min(other.values())
    return next((updates for updates, bits in curve.items() if bits <= best), None)


def _sooner(curve, other):
    for first, second, says in ((curve, other, BETTER), (other, curve, WORSE)):
        reached = _reached(first, second)
        if reached is not None and reached < SOONER * max(second):
            return says
    return UNCLEAR


def _table(claim, folder):
    groups = {}
    for row in _markdown(folder / claim.file):
        if row.get(claim.column):
            groups.setdefault(row[claim.group], []).append(row)
    outcomes, said = [], []
    for name, rows in groups.items():
        (mine,) = _matching(rows, claim.row) or [None]
        others = _matching(rows, claim.other) if claim.other else rows
        others = [float(row[claim.column]) for row in others if row is not mine]
        if mine is None or not others:
            continue
        value, best = float(mine[claim.column]), max(others)
        outcomes.append(BETTER if value > best else WORSE if value < best else UNCLEAR)
        said.append(f"{name}: {value:g} against {best:g}")
    if not outcomes:
        return NOTHING
    one_seed = claim.group != "seed" or len(outcomes) < 2
    return Verdict(f"{claim.column}, {'; '.join(said)}", _say(outcomes, one_seed))


def _matching(rows, wanted):
    return [row for row in rows if wanted.items() <= row.items()]


def _markdown(path):
    """Rows of the table of a Markdown file, each a dict of its cells."""
    if not path.exists():
        return []
    lines = [line for line in path.read_text("utf-8").split("\n") if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(cells[0], row)) for row in cells[2:]]
