#!/usr/bin/env python3
"""A file as it is, uncompressed.

python scripts/experiments/steps/plain_file.py train.slots.conll.gz --out train.conll
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.output import run_script, write_atomically  # noqa: E402
from fairseq_bytefusion.text.files import open_text  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", metavar="FILE", help="plain, .gz, .bz2 or .xz")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with open_text(options.file) as file:
        content = file.read()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(str(options.out), content)
    print(f"{options.out}: {len(content)} bytes")


if __name__ == "__main__":
    run_script(main)
