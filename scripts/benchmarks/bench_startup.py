"""How soon a training starts on a large text, and what memory it holds.

Writes corpora of several sizes, starts ``fairseq-train`` on each and watches it: seconds
from the built model to the first update, and the process's resident memory after some
updates. The first start on a corpus finds its lines; a second one has the cached index.

    python scripts/benchmarks/bench_startup.py --megabytes 100 1000

``anonymous`` memory is the process's own. ``mapped`` memory is pages of files (the text,
its index, libraries) that the kernel shares and can drop at any time.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from process_memory import megabytes

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data_prep" / "sample"
MODEL_IS_BUILT = "num. shared model params"
FIRST_UPDATE = re.compile(r'"num_updates": "1"')


def write_corpus(folder, size_in_mb, seed=1):
    """A corpus whose source side has so many megabytes: sample lines, in random order."""
    rng = random.Random(seed)
    sides = [
        (SAMPLE / f"train.hinglish-en.{lang}").read_bytes().splitlines(keepends=True)
        for lang in ("hinglish", "en")
    ]
    pairs, size = list(zip(*sides)), 0
    with open(folder / "train.a-b.a", "wb") as a, open(folder / "train.a-b.b", "wb") as b:
        while size < size_in_mb * 10**6:
            rng.shuffle(pairs)
            for source, target in pairs:
                size += a.write(source)
                b.write(target)
    for lang, lines in zip("ab", zip(*pairs[:10])):
        (folder / f"valid.a-b.{lang}").write_bytes(b"".join(lines))


def resident(pid):
    """Megabytes of anonymous and of mapped memory of a process."""
    return [megabytes(field, pid) for field in ("RssAnon", "RssFile")]


def start(folder, updates):
    """Train for some updates.

    Returns:
        tuple: seconds from the built model to the first update, anonymous and mapped
        megabytes at the last update.

    Raises:
        RuntimeError: the training failed.
    """
    command = [
        *(sys.executable, "-m", "fairseq_cli.train", str(folder)),
        *("--user-dir", str(ROOT / "fairseq_bytefusion"), "--task", "byte_translation"),
        *("-s", "a", "-t", "b", "--arch", "byte_transformer_tiny", "--cpu"),
        *("--optimizer", "adam", "--lr", "1e-3", "--max-tokens", "2000"),
        *("--max-update", str(updates), "--disable-validation", "--no-save"),
        *("--num-workers", "0", "--log-format", "json", "--log-interval", "1"),
    ]
    last_update = f'"num_updates": "{updates}"'
    built = first = memory = None
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        for line in process.stdout:
            if MODEL_IS_BUILT in line:
                built = time.perf_counter()
            elif first is None and FIRST_UPDATE.search(line):
                first = time.perf_counter()
            if memory is None and last_update in line:
                memory = resident(process.pid)
    if process.returncode or memory is None:
        raise RuntimeError(f"fairseq-train ended with status {process.returncode}")
    return (first - built, *memory)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--megabytes", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--folder", help="for the corpora (default: the system's)")
    args = parser.parse_args()
    os.environ["PYTHONWARNINGS"] = "ignore"
    print(
        "| MB of source text | lines | index | seconds to the first update | "
        "anonymous MB | mapped MB |\n|---|---|---|---|---|---|"
    )
    for size in args.megabytes:
        with tempfile.TemporaryDirectory(dir=args.folder) as name:
            folder = Path(name)
            write_corpus(folder, size)
            with open(folder / "train.a-b.a", "rb") as file:
                lines = sum(1 for _ in file)
            for index in ("none", "cached"):
                seconds, anonymous, mapped = start(folder, args.updates)
                print(
                    f"| {size} | {lines} | {index} | {seconds:.1f} | "
                    f"{anonymous:.0f} | {mapped:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
