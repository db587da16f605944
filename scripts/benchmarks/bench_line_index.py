#!/usr/bin/env python3
"""How fast the line index of a text file is built, against reading the file alone.

python scripts/benchmarks/bench_line_index.py --megabytes 300
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO))

from fairseq_bytefusion.data.lines.line_index import (  # noqa: E402
    CHUNK_BYTES,
    build_line_index,
)

LATIN = REPO / "data_prep/sample/train.hinglish-en.hinglish"
CYRILLIC = "Съешь же ещё этих мягких французских булок, да выпей чаю.\n".encode()


def read(path):
    with open(path, "rb") as file:
        while file.read(CHUNK_BYTES):
            pass


def seconds(function, path):
    start = time.perf_counter()
    function(path)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("| text | MB/s indexed | MB/s read alone | index / read, seconds |")
    print("|---|---|---|---|")
    for name, text in (("Latin", LATIN.read_bytes()), ("Cyrillic", CYRILLIC * 5000)):
        with tempfile.NamedTemporaryFile() as file:
            file.write(text * (options.megabytes * 10**6 // len(text)))
            file.flush()
            size = Path(file.name).stat().st_size / 10**6
            times = [
                (seconds(build_line_index, file.name), seconds(read, file.name))
                for _ in range(options.rounds + 1)
            ][1:]
        index, plain = (statistics.median(column) for column in zip(*times))
        print(f"| {name} | {size / index:.0f} | {size / plain:.0f} | {index / plain:.1f} |")


if __name__ == "__main__":
    main()
