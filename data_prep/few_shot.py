#!/usr/bin/env python3
"""Nested few-shot samples of a pair: the 1,000 pairs are the first of the 2,000, and so on.

    python data_prep/few_shot.py DATA -s gl -t en --sizes 1000 2000 3000 4000 --out FEW

makes the data directories FEW/1000, FEW/2000 ... with the pair's valid and test sets, where
DATA has them, in each.
"""

import argparse
import itertools
import os
import shutil
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from data_prep.blocks import Stream, aligned_blocks  # noqa: E402
from data_prep.line_hash import find_lines, hash_lines, hash_pairs, priorities  # noqa: E402
from data_prep.output import run_script, writing  # noqa: E402
from data_prep.package_files import open_text  # noqa: E402
from data_prep.staging import Staging  # noqa: E402
from data_prep.whole_number import whole_number  # noqa: E402
from fairseq_bytefusion.data.pairs.pair_files import find_pair, search_pair  # noqa: E402
from fairseq_bytefusion.text.lines import join_lines  # noqa: E402

SIZES = [1000, 2000, 3000, 4000]


def few_shot(data, source, target, sizes, out, seed=1):
    """Write a data directory for each size.

    The order is drawn from a hash of seed and pair: a pair keeps its rank when others
    are added to or taken from the training set.

    Args:
        data (str): raw-text directory.
        source, target (str): language codes.
        sizes (list of int): in pairs.
        out (str): ``out/<size>`` are made.
        seed (int)

    Returns:
        list of str: the directories, smallest first.

    Raises:
        FileNotFoundError: ``data`` lacks the pair.
        ValueError: it has fewer pairs than the largest size, or lies where a sample
            would be.
    """
    train = find_pair(data, "train", source, target)
    held_out = {}
    for split in ("valid", "test"):
        files = search_pair(data, split, source, target)
        if files is not None and None not in files:
            held_out[split] = files
    splits, inputs = ["train", *held_out], [*train, *itertools.chain(*held_out.values())]
    samples = {
        size: Staging(os.path.join(out, str(size)), f"{source}-{target}")
        for size in sorted(sizes)
    }
    for staging in samples.values():
        staging.check_clash(splits, inputs)
    pairs = list(sample(train, max(sizes), seed))
    if len(pairs) < max(sizes):
        raise ValueError(
            f"{train[0]} has {len(pairs)} pairs, too few for a sample of {max(sizes)}: "
            "give smaller --sizes"
        )
    for size, staging in samples.items():
        with staging:
            _fill(staging, pairs[:size], held_out)
            stats = {"splits": {"train": size}, "sampled_from": list(train), "seed": seed}
            staging.publish(splits, stats)
    return [staging.out for staging in samples.values()]


def sample(paths, size, seed):
    """The first ``size`` pairs in the order of ``seed``, as ``(source, target)`` bytes.

    Memory: 8 bytes for each pair of the files, and the sample itself.

    Args:
        paths (tuple of str): source and target file.
    """
    ranks = [priorities(hashes, seed) for hashes, _, _ in _hashed_blocks(paths)]
    # Equal pairs have equal ranks: the stable sort takes them in file order.
    ranks = np.concatenate([*ranks, np.empty(0, np.uint64)])
    chosen = np.argsort(ranks, kind="stable")[:size]
    place_of = {line: place for place, line in enumerate(chosen.tolist())}
    found, first = [None] * len(chosen), 0
    wanted = np.sort(chosen)
    for hashes, left, right in _hashed_blocks(paths):
        inside = (wanted >= first) & (wanted < first + len(hashes))
        for line in wanted[inside].tolist():
            found[place_of[line]] = left[line - first], right[line - first]
        first += len(hashes)
    return found


def _hashed_blocks(paths):
    """(uint64[N] pair hashes, Lines, Lines) of each block of two files."""
    with ExitStack() as stack:
        streams = [stack.enter_context(Stream(path)) for path in paths]
        for block in aligned_blocks(*streams):
            left, right = find_lines(block.source), find_lines(block.target)
            yield hash_pairs(hash_lines(left), hash_lines(right)), left, right


def _fill(staging, pairs, held_out):
    for path, side in zip(staging.outputs(["train"]), zip(*pairs)):
        with _writer(staging, path) as file:
            file.write(join_lines(side))
    for split, files in held_out.items():
        for old, path in zip(files, staging.outputs([split])):
            with open_text(old) as text, _writer(staging, path) as file:
                shutil.copyfileobj(text, file)


@contextmanager
def _writer(staging, path):
    with writing(path), open(staging.path(os.path.basename(path)), "wb") as file:
        yield file


def main(argv=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", help="raw-text directory")
    parser.add_argument("-s", "--source-lang", required=True)
    parser.add_argument("-t", "--target-lang", required=True)
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument(
        "--sizes", type=whole_number(1), nargs="+", default=SIZES, metavar="N"
    )
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    langs = args.source_lang, args.target_lang
    for folder in few_shot(args.data, *langs, args.sizes, args.out, args.seed):
        print(f"{folder}: {os.path.basename(folder)} training pairs")


if __name__ == "__main__":
    run_script(main)
