#!/usr/bin/env python3
"""How long sentences are in each unit: the basis of equal batches and equal losses.

    python scripts/experiments/steps/measure_units.py DATA -s de,fr -t en --out tokens.json

writes, for every unit, ``train``: the mean of the longer side of a training pair, which is
what fairseq fills a batch with; ``valid_target``: the mean target of a validation pair;
``limit``: how long a translation may become, a x source + b. a is the ratio of target to
source that 99% of the training pairs keep to, b what 99.9% of them need beside.
Ends of sentences count. Of several pairs, each weighs as often as it is drawn, but in
``limit``, where each weighs as many as its lines.
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
from scripts.experiments.steps.unit_lengths import unit_lengths  # noqa: E402

RATIO_SHARE, LIMIT_SHARE = 0.99, 0.999


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
        dict: ``train``, ``valid_target``, each unit -> float; ``limit``: unit -> a, b.
    """
    found = {"train": {}, "valid_target": {}, "limit": {}}
    pairs = [find_pair(data, "train", source, target) for source in sources]
    valid = [find_pair(data, "valid", source, target)[1] for source in sources]
    for unit in UNITS:
        to_target = unit_lengths(data, target)[unit]
        means, sizes, both = [], [], []
        for source, (left, right) in zip(sources, pairs):
            to_source = unit_lengths(data, source)[unit]
            both.append((lengths(left, to_source), lengths(right, to_target)))
            longer = np.maximum(*both[-1])
            means.append(longer.mean())
            sizes.append(len(longer))
        found["limit"][unit] = limit(*map(np.concatenate, zip(*both)))
        weights = np.array(sizes) ** (1 / temperature)
        found["train"][unit] = float(np.average(means, weights=weights))
        targets = np.concatenate([lengths(path, to_target) for path in valid])
        found["valid_target"][unit] = float(targets.mean())
    return found


def limit(sources, targets):
    """How long a translation may become.

    Args:
        sources, targets (int64[N]): lengths of training pairs.

    Returns:
        tuple: float a and int b, of a x source + b; at least 1 and 1.
    """
    within = {"method": "inverted_cdf"}  # no less than the share
    ratio = np.quantile(targets / sources, RATIO_SHARE, **within)
    a = max(1.0, np.ceil(100 * ratio) / 100)
    b = np.quantile(targets - a * sources, LIMIT_SHARE, **within)
    return float(a), max(1, int(np.ceil(b)))


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
