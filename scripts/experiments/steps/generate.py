#!/usr/bin/env python3
"""Translate a test set: run fairseq-generate, keep its log, note how long it took.

    python scripts/experiments/steps/generate.py --log RUN/de.log -- fairseq-generate ...

The log appears under its name when it is complete; beside it, RUN/de.json holds the
command, seconds and versions.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.output import run_script  # noqa: E402
from scripts.experiments.steps.recording import versions, write_json  # noqa: E402


def generate(log, command):
    """Run ``command`` (list of str) and keep its standard output as ``log`` (Path).

    Raises:
        RuntimeError: it failed; the message shows the end of what it wrote.
    """
    part, errors = log.with_suffix(".log.part"), log.with_suffix(".err")
    start = time.time()
    with open(part, "wb") as output, open(errors, "wb") as error:
        status = subprocess.run(
            command, stdout=output, stderr=error, check=False
        ).returncode
    if status:
        end = errors.read_bytes()[-1500:].decode("utf-8", "replace")
        raise RuntimeError(f"fairseq-generate ended with status {status}:\n{end}")
    record = {"command": command, "seconds": time.time() - start, "versions": versions()}
    write_json(log.with_suffix(".json"), record)
    os.replace(part, log)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("command", nargs="+", help="after --")
    args = parser.parse_args()
    generate(args.log, args.command)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    run_script(main)
