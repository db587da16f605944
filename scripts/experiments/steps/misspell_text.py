#!/usr/bin/env python3
"""Misspell a share of the words of a text, each by one random operation.

    python scripts/experiments/steps/misspell_text.py clean.txt --out noised.txt

Only words of more than four characters are misspelt: as many of them as are ``--share``
of all words, or all of them where there are fewer.
"""

import argparse
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.output import run_script, write_atomically  # noqa: E402
from fairseq_bytefusion.text.files import open_text  # noqa: E402
from fairseq_bytefusion.text.noise.misspell import LONGEST_KEPT, misspell  # noqa: E402

WORD = re.compile(r"[^ \t\r\n\v\f]+")


def misspell_text(text, share, seed):
    """One operation in ``share`` of the words of a text.

    Args:
        text (str)
        share (float): from 0 to 1.
        seed (int)

    Returns:
        tuple: the text as str; how many words changed, and how many there are.
    """
    rng = random.Random(seed)
    words = list(WORD.finditer(text))
    long = [word for word in words if len(word[0]) > LONGEST_KEPT]
    chosen = rng.sample(long, min(round(share * len(words)), len(long)))
    parts, end, changed = [], 0, 0
    for word in sorted(chosen, key=lambda word: word.start()):
        noised = misspell(word[0], rng)
        changed += noised != word[0]
        parts += [text[end : word.start()], noised]
        end = word.end()
    return "".join([*parts, text[end:]]), changed, len(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("text", metavar="FILE")
    parser.add_argument("--share", type=float, default=0.2, help="of all words")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with open_text(options.text) as file:
        clean = file.read().decode("utf-8", "surrogateescape")
    text, changed, count = misspell_text(clean, options.share, options.seed)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(str(options.out), text.encode("utf-8", "surrogateescape"))
    print(f"{options.out}: {changed} of {count} words misspelt")


if __name__ == "__main__":
    run_script(main)
