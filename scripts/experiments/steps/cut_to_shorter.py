#!/usr/bin/env python3
"""Cut a pair's longer side to the lines of the shorter one, in every split.

    python scripts/experiments/steps/cut_to_shorter.py bible -s it -t en --out RAW

is for multi-parallel sets in which a language has the first lines only of what others
have: line k of both files is the same sentence, and prepare.py rightly takes files of
unequal length for a mistake.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.blocks import Stream, line_blocks  # noqa: E402
from data_prep.output import run_script, write_atomically  # noqa: E402
from data_prep.readers import Languages, read_folder  # noqa: E402


def cut(folder, languages, out):
    """Write all splits of a pair and say what was left out.

    Args:
        folder (str), out (Path)
        languages (Languages)
    """
    out.mkdir(parents=True, exist_ok=True)
    langs = languages.source, languages.target
    for corpus in read_folder((folder,), languages):
        sides = list(map(read_lines, corpus.paths))
        size = min(map(len, sides))
        for path, lang, lines in zip(corpus.paths, langs, sides):
            name = f"{corpus.split}.{'-'.join(langs)}.{lang}"
            write_atomically(str(out / name), b"".join(lines[:size]))
            if len(lines) > size:
                print(f"{path}: {len(lines) - size} lines after the first {size} left out")


def read_lines(path):
    """Lines of a plain or gzipped file, as bytes with their ends (``\\n`` alone)."""
    with Stream(path) as stream:
        text = b"".join(line_blocks(stream))
    return [line + b"\n" for line in text.split(b"\n")[:-1]]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder")
    parser.add_argument("-s", "--source-lang", required=True)
    parser.add_argument("-t", "--target-lang", required=True)
    parser.add_argument("--source-code", default="", help="in the names of its files")
    parser.add_argument("--target-code", default="", help="likewise")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    codes = args.source_code, args.target_code
    cut(args.folder, Languages(args.source_lang, args.target_lang, *codes), args.out)


if __name__ == "__main__":
    run_script(main)
