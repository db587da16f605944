#!/usr/bin/env python3
"""The words of the target side of a training set, a line each.

    python scripts/experiments/steps/training_words.py DATA -s de,fr -t en --out WORDS

cuts words as SacreBLEU's 13a does. With --detokenize the text is Moses tokens, which are
joined first.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.output import run_script, write_atomically  # noqa: E402
from fairseq_bytefusion.data.pairs.pair_files import find_pair  # noqa: E402
from fairseq_bytefusion.evaluation.detokenizer import detokenize  # noqa: E402
from fairseq_bytefusion.evaluation.unseen_words import words  # noqa: E402
from fairseq_bytefusion.text.lines import raw_lines  # noqa: E402


def training_words(data, sources, target, is_tokenized=False):
    """Words of the target side.

    Args:
        data (str): raw-text directory.
        sources (list of str), target (str): languages.
        is_tokenized (bool): it is Moses tokens.

    Returns:
        set of str
    """
    found = set()
    for source in sources:
        with open(find_pair(data, "train", source, target)[1], "rb") as file:
            # A text that several languages share is cut once.
            lines = {line.decode("utf-8", "replace") for line in raw_lines(file)}
        if is_tokenized:
            lines = detokenize(list(lines), target)
        for line in lines:
            found.update(words(line))
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data")
    parser.add_argument("-s", "--source-lang", required=True)
    parser.add_argument("-t", "--target-lang", required=True)
    parser.add_argument("--detokenize", action="store_true")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    sources = args.source_lang.split(",")
    found = training_words(args.data, sources, args.target_lang, args.detokenize)
    text = "".join(f"{word}\n" for word in sorted(found))
    write_atomically(args.out, text.encode())
    print(f"{args.data}: {len(found)} words of {args.target_lang}")


if __name__ == "__main__":
    run_script(main)
