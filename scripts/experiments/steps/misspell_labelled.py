#!/usr/bin/env python3
"""Misspell a share of the words of a labelled test set that can be misspelt.

    python scripts/experiments/steps/misspell_labelled.py test.conll --out misspelt.conll
    python scripts/experiments/steps/misspell_labelled.py test.tsv --text-column 1 \\
        --out misspelt.tsv

Each of them by one operation that changes it; labels and all else stay. Beside the file,
``misspelt.json`` says how many words there are, can be misspelt, and were.
"""

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.output import run_script, write_atomically  # noqa: E402
from fairseq_bytefusion.text.files import open_text  # noqa: E402
from fairseq_bytefusion.text.noise.misspell import LONGEST_KEPT, misspell  # noqa: E402
from scripts.experiments.steps.misspell_text import WORD  # noqa: E402
from scripts.experiments.steps.recording import write_json  # noqa: E402


def misspell_labelled(text, share, seed, text_column=None):
    """One operation in ``share`` of the words that are long enough for one.

    Args:
        text (str): of a .conll file, a word at the beginning of each line; with a
            ``text_column`` (int, from 1), of a .tsv file.
        share (float): above 0, at most 1.
        seed (int)

    Returns:
        tuple: the text as str; a dict, the numbers of ``words``, of those that are
        ``changeable`` and of those ``misspelt``.
    """
    rng = random.Random(seed)
    words = word_spans(text, text_column)
    long = [word for word in words if len(text[slice(*word)]) > LONGEST_KEPT]
    chosen = sorted(rng.sample(long, round(share * len(long))))
    parts, end = [], 0
    for start, stop in chosen:
        parts += [text[end:start], _other(text[start:stop], rng)]
        end = stop
    counts = {"words": len(words), "changeable": len(long), "misspelt": len(chosen)}
    return "".join([*parts, text[end:]]), counts


def word_spans(text, text_column):
    """list of (start, end): where the words stand."""
    words, start = [], 0
    for line in text.split("\n"):
        if text_column is None:
            found = list(WORD.finditer(line))[:1]
            words += [(start + m.start(), start + m.end()) for m in found]
        else:
            columns = line.split("\t")
            before = start + sum(len(c) + 1 for c in columns[: text_column - 1])
            cell = columns[text_column - 1] if len(columns) >= text_column else ""
            words += [(before + m.start(), before + m.end()) for m in WORD.finditer(cell)]
        start += len(line) + 1
    return words


def _other(word, rng):
    """``word`` misspelt: an operation may leave it as it is, and then another is drawn."""
    while (noised := misspell(word, rng)) == word:
        pass
    return noised


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("labelled", metavar="FILE")
    parser.add_argument("--text-column", type=int, help="of a .tsv file, from 1")
    parser.add_argument("--share", type=float, default=0.3, help="of the longer words")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with open_text(options.labelled) as file:
        clean = file.read().decode("utf-8", "surrogateescape")
    text, counts = misspell_labelled(
        clean, options.share, options.seed, options.text_column
    )
    write_atomically(str(options.out), text.encode("utf-8", "surrogateescape"))
    write_json(options.out.with_suffix(".json"), counts)
    print(
        f"{options.out}: {counts['misspelt']} of {counts['words']} words misspelt, of "
        f"{counts['changeable']} that can be"
    )


if __name__ == "__main__":
    run_script(main)
