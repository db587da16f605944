#!/usr/bin/env python3
"""The lines of several texts in one file, each line once, without the empty ones.

python scripts/experiments/steps/join_texts.py a.en.gz 'b/train.*-en.en.gz' --out train.text

Names may be patterns. What comes first is kept.
"""

import argparse
import glob
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.output import run_script, write_atomically  # noqa: E402
from fairseq_bytefusion.text.files import open_text  # noqa: E402
from fairseq_bytefusion.text.lines import raw_lines  # noqa: E402


def matching(patterns):
    """list of str: the files of patterns, in their order; those of one by name.

    Raises:
        FileNotFoundError: one has none.
    """
    found = []
    for pattern in patterns:
        paths = sorted(glob.glob(pattern))
        if not paths:
            raise FileNotFoundError(f"no such file: {pattern}")
        found += paths
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("texts", nargs="+", metavar="FILE", help="plain, .gz, .bz2 or .xz")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    lines, count = {}, 0
    for path in matching(options.texts):
        with open_text(path) as file:
            for line in raw_lines(file):
                count += 1
                if line.strip():
                    lines.setdefault(line)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(str(options.out), b"".join(line + b"\n" for line in lines))
    print(f"{options.out}: {len(lines)} different lines of {count}")


if __name__ == "__main__":
    run_script(main)
