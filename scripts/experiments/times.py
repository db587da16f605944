#!/usr/bin/env python3
"""How long the trainings of each experiment took.

    python scripts/experiments/times.py [results] > results/times.md

reads the trainings.csv of each experiment below `results`.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from data_prep.output import run_script  # noqa: E402
from scripts.experiments.report.trainings import time_table  # noqa: E402


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))
    print(time_table(parser.parse_args().results), end="")


if __name__ == "__main__":
    run_script(main)
