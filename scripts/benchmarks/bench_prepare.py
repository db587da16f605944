#!/usr/bin/env python3
"""Throughput of data_prep/prepare.py against fairseq-preprocess, on the same files.

    python scripts/benchmarks/bench_prepare.py --megabytes 20 --workers 2

The text is made of the sample data: every line joins two of its sentences, and one pair
in fifty is a copy of an earlier one, so that there is something to drop. Both programs run
from start to end with the same number of workers; the time each takes for ten lines, which
is that of its imports, is shown as well.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

REPO = Path(__file__).resolve().parents[2]
SAMPLE = REPO / "data_prep/sample"
LANGS = ("hinglish", "en")
COPIES = 50  # one pair in so many is a copy


def write_text(folder, megabytes, seed=1):
    """Write ``folder/text.{hinglish,en}``, together of a size in MB; returns the prefix."""
    sides = [
        (SAMPLE / f"train.hinglish-en.{lang}").read_bytes().split(b"\n")[:-1]
        for lang in LANGS
    ]
    random = np.random.RandomState(seed)
    average = 2 * sum(map(len, sides[0] + sides[1])) / len(sides[0])
    count = max(int(megabytes * 1e6 / average), 10)
    index = random.randint(len(sides[0]), size=(count, 2))
    index[::COPIES] = index[random.randint(count, size=len(index[::COPIES]))]
    prefix = Path(folder) / "text"
    for lang, lines in zip(LANGS, sides):
        with open(f"{prefix}.{lang}", "wb") as file:
            file.writelines(lines[i] + b" " + lines[j] + b"\n" for i, j in index.tolist())
    return prefix


def commands(prefix, out, workers):
    """Name -> command line of the programs compared."""
    fairseq = [
        *(sys.executable, "-m", "fairseq_cli.preprocess", "-s", LANGS[0], "-t", LANGS[1]),
        *("--trainpref", prefix, "--destdir", out, "--workers", workers),
    ]
    prepare = [
        *(sys.executable, REPO / "data_prep/prepare.py", "-s", LANGS[0], "-t", LANGS[1]),
        *("--pair", *(f"{prefix}.{lang}" for lang in LANGS)),
        *("--out", out, "--workers", workers),
    ]
    return {
        "fairseq-preprocess": fairseq,
        "prepare.py": prepare,
        "prepare.py, 1,000 pairs drawn for test": [*prepare, "--num-test", 1000],
    }


def seconds(command, out):
    """Wall-clock time of a command; what it writes to ``out`` is removed."""
    start = time.perf_counter()
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    taken = time.perf_counter() - start
    shutil.rmtree(out)
    return taken


def measure(folder, options):
    """Print a table; seconds are medians."""
    text = write_text(folder, options.megabytes)
    (Path(folder) / "tiny").mkdir()
    tiny = write_text(Path(folder) / "tiny", 0)
    size = sum(Path(f"{text}.{lang}").stat().st_size for lang in LANGS) / 1e6
    out = Path(folder) / "out"
    long, short = (commands(prefix, out, options.workers) for prefix in (text, tiny))
    print(f"{size:.1f} MB on both sides together, {options.workers} workers\n")
    print("| program | s | MB/s | throughput | s for 10 lines |")
    print("|---|---|---|---|---|")
    base = None
    for name, command in long.items():
        taken = statistics.median(seconds(command, out) for _ in range(options.rounds))
        base = base or taken
        start = "" if "--num-test" in command else f"{seconds(short[name], out):.1f}"
        figures = f"{taken:.1f} | {size / taken:.1f} | {base / taken:.1f} x"
        print(f"| {name} | {figures} | {start} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(folder, options)


if __name__ == "__main__":
    main()
