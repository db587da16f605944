#!/usr/bin/env python3
"""Write results/README.md: each claim of the papers, what was measured, what follows.

    python scripts/experiments/claims/page.py [results]

reads comparisons.csv and curves.csv of each experiment and the tables of char2subword; what
is not there is not measured yet.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.output import run_script, write_atomically  # noqa: E402
from scripts.experiments.claims.claim import read_claims  # noqa: E402
from scripts.experiments.claims.evidence import RULES, judge  # noqa: E402

HEAD = """# What the papers say, and what came out here

Written by `python scripts/experiments/claims/page.py`, which reads the results beside it;
[claims.yaml](../scripts/experiments/claims/claims.yaml) has the claims,
[evidence.py](../scripts/experiments/claims/evidence.py) the rules. A verdict is about this
scale: small models, little data.
"""
COLUMNS = ("paper", "where", "claim", "experiment", "measured", "verdict")


def render(claims, folder):
    """The page as str.

    Args:
        claims (list of Claim)
        folder (Path): of the results.
    """
    rows = [COLUMNS, ["---"] * len(COLUMNS)]
    for claim in claims:
        verdict = judge(claim, folder)
        place = claim.experiment or claim.file
        about = claim.paper, claim.where, claim.says, f"`{place}`"
        rows.append((*about, verdict.measured, f"**{verdict.found}**"))
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{HEAD}\n{RULES}\n\n{table}\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))
    args = parser.parse_args()
    text = render(read_claims(), args.results)
    args.results.mkdir(parents=True, exist_ok=True)
    write_atomically(str(args.results / "README.md"), text.encode())


if __name__ == "__main__":
    run_script(main)
