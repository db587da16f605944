#!/usr/bin/env python3
"""How long sentences are in each unit: the basis of equal batches and equal losses.

    python scripts/experiments/steps/measure_units.py DATA -s de,fr -t en --out tokens.json

writes, for every unit, ``train``: the mean of the longer side of a training pair, which is
what fairseq fills a batch with; ``valid_target``: the mean target of a validation pair.
Ends of sentences count. Of several pairs, each weighs as often as it is drawn.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.output import run_script  # noqa: E402
from fairseq_bytefusion.data.pairs.pair_files import find_pair  # noqa: E402
from fairseq_bytefusion.text import UNITS  # noqa: E402
from fairseq_bytefusion.text.lines import raw_lines  # noqa: E402
from scripts.experiments.steps.recording import write_json  # noqa: E402


def unit_lengths(data, language):
    """Unit -> function from a sentence (bytes) to its length, without its end."""
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor(f"{data}/spm.{language}.model")
    return {
        "byte": len,
        "char": lambda line: len(line.decode("utf-8", "replace")),
        "sentencepiece": lambda line: len(model.encode(line.decode("utf-8", "replace"))),
    }


def lengths(path, length):
    """int64[N]: lengths of the lines of a file, ends of sentences included."""
    with open(path, "rb") as file:
        return np.fromiter(map(length, raw_lines(file)), np.int64) + 1


def measure(data, sources, target, temperature):
    """Mean lengths.

    Args:
        data (str): raw-text directory with vocabularies.
        sources (list of str), target (str): languages.
        temperature (float): pair i is drawn in proportion to n_i^(1/temperature).

    Returns:
        dict: ``train``, ``valid_target``, each unit -> float.
    """
    found = {"train": {}, "valid_target": {}}
    pairs = [find_pair(data, "train", source, target) for source in sources]
    valid = [find_pair(data, "valid", source, target)[1] for source in sources]
    for unit in UNITS:
        to_target = unit_lengths(data, target)[unit]
        means, sizes = [], []
        for source, (left, right) in zip(sources, pairs):
            to_source = unit_lengths(data, source)[unit]
            longer = np.maximum(lengths(left, to_source), lengths(right, to_target))
            means.append(longer.mean())
            sizes.append(len(longer))
        weights = np.array(sizes) ** (1 / temperature)
        found["train"][unit] = float(np.average(means, weights=weights))
        targets = np.concatenate([lengths(path, to_target) for path in valid])
        found["valid_target"][unit] = float(targets.mean())
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data")
    parser.add_argument("-s", "--source-lang", required=True)
    parser.add_argument("-t", "--target-lang", required=True)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    sources = args.source_lang.split(",")
    found = measure(args.data, sources, args.target_lang, args.temperature)
    write_json(args.out, found)


if __name__ == "__main__":
    run_script(main)
