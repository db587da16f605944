#!/usr/bin/env python3
"""Translate a test set, or score its references: run fairseq-generate and keep its log.

    python scripts/experiments/steps/generate.py --log RUN/de.log --unit byte \\
        --tokens DATA/tokens.json --sources DATA/test.de-en.de -- fairseq-generate ...

adds ``--max-len-a`` and ``--max-len-b``, of what measure_units.py found in the training
data, unless the command has one of them. The log appears under its name when it is
complete; beside it, RUN/de.json holds the command, seconds, versions, the limit and the
numbers of the sentences whose translation is as long as that. A command that scores
references needs no limit: without ``--tokens``, ``--unit`` and ``--sources`` there is none.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.output import run_script  # noqa: E402
from scripts.experiments.steps.recording import (  # noqa: E402
    read_json,
    versions,
    write_json,
)
from scripts.experiments.steps.unit_lengths import unit_lengths  # noqa: E402

# A score a symbol and one of the end, which is forced at the limit; best hypothesis first.
_SCORES = re.compile(rb"(?m)^P-(\d+)\t(.*)")
MAX_POSITIONS = 2048  # of a target, unless a model was trained with another number


def generate(log, command, about):
    """Run ``command`` (list of str) and keep its standard output as ``log`` (Path).

    Args:
        log (Path), command (list of str)
        about (callable): to a dict, from the finished log; what to record beside.

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
    seconds = time.time() - start
    record = {"command": command, "seconds": seconds, "versions": versions(), **about(part)}
    write_json(log.with_suffix(".json"), record)
    os.replace(part, log)


def with_limit(command, limit):
    """The command with ``limit`` (a, b), and the limit that it has then.

    Args:
        command (list of str)
        limit (tuple): float, int

    Returns:
        tuple: list of str, float, int
    """
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    parser.add_argument("--max-len-a", type=float)
    parser.add_argument("--max-len-b", type=int)
    given, _ = parser.parse_known_args(command)
    if given.max_len_a is None and given.max_len_b is None:
        a, b = limit
        return [*command, "--max-len-a", str(a), "--max-len-b", str(b)], a, b
    if None in (given.max_len_a, given.max_len_b):
        raise ValueError(
            "generate_flags: --max-len-a and --max-len-b go together: give both"
        )
    return command, given.max_len_a, given.max_len_b


def at_limit(log, sources, a, b):
    """Numbers of the sentences whose translation is as long as it may become.

    fairseq goes by the longest source of a batch where the target is no bytes: there a few
    of these may have ended by themselves.

    Args:
        log (Path): of fairseq-generate.
        sources (list of int): symbols of the sources, ends included.
        a (float), b (int)

    Returns:
        list of int
    """
    limits = [min(int(a * size + b), MAX_POSITIONS - 1) for size in sources]
    lengths = {}
    for number, scores in _SCORES.findall(log.read_bytes()):
        lengths.setdefault(int(number), len(scores.split()))
    return sorted(k for k, length in lengths.items() if length > limits[k])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--tokens", help="what measure_units.py wrote")
    parser.add_argument("--unit", help="of the system")
    parser.add_argument("--sources", type=Path, help="of the test set")
    parser.add_argument("command", nargs="+", help="after --")
    args = parser.parse_args()
    if args.tokens is None:
        generate(args.log, args.command, lambda log: {})
    else:
        generate_within_limit(args)


def generate_within_limit(args):
    """Translate; the limit and what has reached it is recorded."""
    limit = read_json(args.tokens)["limit"][args.unit]
    command, a, b = with_limit(args.command, limit)

    def about(log):
        language = args.sources.suffix[1:]
        length = unit_lengths(args.sources.parent, language)[args.unit]
        lines = args.sources.read_bytes().split(b"\n")[:-1]
        hit = at_limit(log, [length(line) + 1 for line in lines], a, b)
        return {"limit": {"max_len_a": a, "max_len_b": b}, "at_limit": hit}

    generate(args.log, command, about)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    run_script(main)
