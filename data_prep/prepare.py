#!/usr/bin/env python3
"""Turn downloaded parallel text into the raw-text layout: cleaned, deduplicated, split.

    python data_prep/prepare.py -s de -t en --pair europarl.de.gz europarl.en.gz \\
        --exclude newstest.de newstest.en --num-valid 2000 --out DATA

data_prep/README.md has an example of every reader.
"""

import os
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from data_prep.blocks import Stream, aligned_blocks, line_blocks  # noqa: E402
from data_prep.cleaning import REASONS, Cleaner, Normaliser, Rules  # noqa: E402
from data_prep.line_hash import HashSet, find_lines, hash_lines, select_lines  # noqa: E402
from data_prep.options import moses_languages, parse_args  # noqa: E402
from data_prep.output import PairWriter, run_script  # noqa: E402
from data_prep.readers import READERS, Languages, read_pair  # noqa: E402
from data_prep.split import Selection  # noqa: E402
from data_prep.staging import Staging, pair_files  # noqa: E402
from data_prep.workers import worker_map  # noqa: E402


def prepare(args):
    """Do what the command line says; ``args`` come from ``options.parse_args``.

    Returns:
        dict: what ``stats.json`` holds for the pair.

    Raises:
        OSError, ValueError: bad input; nothing is published.
    """
    pair = f"{args.source_lang}-{args.target_lang}"
    corpora = find_corpora(args)
    drawn = {"valid": args.num_valid, "test": args.num_test}
    splits = sorted({c.split for c in corpora} | {s for s, n in drawn.items() if n})
    _check_drawn(corpora, drawn)
    stats = Stats()
    staging = Staging(args.out, pair)
    inputs = [path for corpus in corpora for path in corpus.paths]
    staging.check_clash(splits, [*inputs, *args.exclude])
    with staging:
        normalisers = _normalisers(args)
        excluded = _sentence_hashes(args.exclude, normalisers)
        held_out = copy_held_out(staging, corpora, normalisers, stats)
        rules = Rules(args.max_bytes, args.max_ratio, excluded, held_out)
        train = [c for c in corpora if c.split == "train"]
        if train:
            selection = Selection(args.num_valid, args.num_test, args.seed)
            cleaner = Cleaner(normalisers, rules)
            write_train(staging, train, cleaner, args, stats, selection)
            if any(drawn.values()):
                draw_splits(staging, selection, args, stats)
        stats.check(corpora)
        counts = stats.as_dict(args, corpora)
        staging.publish(splits, counts)
    return counts


# What to do where a reason took most, and no rule can be loosened.
_REMEDIES = {
    "malformed": "check that this is the right file, and --columns",
    "not_utf8": "convert it to UTF-8, with iconv",
    "empty": "check that this is the right file",
    "excluded": "see whether a training file is among those of --exclude",
}


class Stats:
    """Records read, pairs dropped per reason, pairs kept per split."""

    def __init__(self):
        self.read, self.dropped, self.kept = 0, Counter(), Counter()

    def check(self, corpora):
        """Refuse an empty result.

        Raises:
            ValueError
        """
        names = ", ".join(path for corpus in corpora for path in corpus.paths)
        if not self.read:
            raise ValueError(
                f"no sentence pair in {names}: check that this is the right file"
            )
        if any(c.split == "train" for c in corpora) and not self.kept["train"]:
            reasons = ", ".join(f"{n} {r}" for r, n in self.dropped.most_common() if n)
            raise ValueError(
                f"no training pair is left of {self.read} read from {names} (dropped: "
                f"{reasons or 'none'}): {self._remedy()}"
            )

    def _remedy(self):
        most = max(self.dropped, key=self.dropped.get, default=None)
        if not most or not self.dropped[most]:
            return "all went into valid and test, lower --num-valid and --num-test"
        return _REMEDIES.get(most, "loosen the rule that took most")

    def as_dict(self, args, corpora):
        """What ``stats.json`` says of a pair: ``kept + dropped == read``."""
        options = {
            name: getattr(args, name)
            for name in ("max_bytes", "max_ratio", "nfc", "seed", "exclude", "dedup")
        }
        return {
            "read": self.read,
            "kept": sum(self.kept.values()),
            "dropped": sum(self.dropped.values()),
            "splits": dict(self.kept),
            "reasons": {reason: self.dropped[reason] for reason in REASONS},
            "options": {**options, "moses": moses_languages(args)},
            "inputs": [[path + c.member for path in c.paths] for c in corpora],
        }


def find_corpora(args):
    """The Corpus objects of all inputs, in the order of the command line."""
    languages = Languages(
        *(args.source_lang, args.target_lang),
        *(args.source_code, args.target_code, args.columns),
    )
    corpora = []
    for kind, split, paths in args.inputs:
        if split == "train":
            corpora += READERS[kind][0](paths, languages)
        else:
            corpora += read_pair(paths, split=split)
    return corpora


def _check_drawn(corpora, drawn):
    for split, number in drawn.items():
        given = next((c for c in corpora if c.split == split), None)
        if number and given:
            raise ValueError(
                f"a {split} set is given, {given.paths[0]}: leave out --num-{split}"
            )
    if any(drawn.values()) and not any(c.split == "train" for c in corpora):
        raise ValueError("--num-valid and --num-test draw from training pairs: none given")


def _normalisers(args):
    moses = moses_languages(args) or {}
    return tuple(
        Normaliser(args.nfc, moses.get(lang))
        for lang in (args.source_lang, args.target_lang)
    )


def _sentence_hashes(paths, normalisers):
    """Sorted uint64[N]: hashes of the sentences in files, as either side writes them."""
    hashes = [np.empty(0, np.uint64)]
    for path in paths:
        with Stream(path) as stream:
            for block in line_blocks(stream):
                hashes += [_nonempty_hashes(normalise(block)) for normalise in normalisers]
    return np.unique(np.concatenate(hashes))


def _nonempty_hashes(block):
    lines = find_lines(block)
    return hash_lines(lines, lines.lengths > 0)


def copy_held_out(staging, corpora, normalisers, stats):
    """Write given valid and test sets line for line.

    Returns:
        uint64[N]: sorted hashes of their sentences, of both sides.
    """
    hashes = [np.empty(0, np.uint64)]
    cleaner = Cleaner(normalisers)
    for split in ("valid", "test"):
        chosen = [corpus for corpus in corpora if corpus.split == split]
        if not chosen:
            continue
        with _writer(staging, split) as writer:
            for block in (b for corpus in chosen for b in corpus.blocks()):
                clean = cleaner(block)
                writer.write(clean.source, clean.target)
                stats.read += clean.read
                stats.kept[split] += len(clean.pair_hashes)
                hashes += map(_nonempty_hashes, (clean.source, clean.target))
    return np.unique(np.concatenate(hashes))


def _writer(staging, split, suffix=""):
    return PairWriter(_staged(staging, split, suffix), staging.outputs([split]))


def _staged(staging, split, suffix=""):
    return [staging.path(name + suffix) for name in pair_files(split, staging.pair)]


def write_train(staging, corpora, cleaner, args, stats, selection):
    """Clean and deduplicate into the staged training files."""
    seen = HashSet() if args.dedup else None
    size = sum(corpus.size for corpus in corpora)
    with ExitStack() as stack:
        bar = stack.enter_context(_progress("cleaning", size))
        writer = stack.enter_context(_writer(staging, "train"))
        work = stack.enter_context(worker_map(cleaner, args.workers))
        for clean in work(b for corpus in corpora for b in corpus.blocks(bar.update)):
            stats.read += clean.read
            if seen is not None:
                _drop_duplicates(clean, seen)
            stats.dropped.update(clean.dropped)
            stats.kept["train"] += len(clean.pair_hashes)
            selection.offer(clean)
            writer.write(clean.source, clean.target)


def _drop_duplicates(clean, seen):
    is_new = seen.add(clean.pair_hashes)
    if is_new.all():
        return
    clean.dropped["duplicate"] += int((~is_new).sum())
    clean.source = select_lines(find_lines(clean.source), is_new)
    clean.target = select_lines(find_lines(clean.target), is_new)
    clean.pair_hashes = clean.pair_hashes[is_new]
    clean.side_hashes = tuple(side[is_new] for side in clean.side_hashes)


def draw_splits(staging, selection, args, stats):
    """Move the chosen pairs of the staged training files to valid and test."""
    router = selection.choose()
    whole = _staged(staging, "train", ".whole")
    for path, new in zip(_staged(staging, "train"), whole):
        os.rename(path, new)
    stats.kept["train"] = 0
    with ExitStack() as stack:
        bar = stack.enter_context(_progress("splitting", sum(map(os.path.getsize, whole))))
        streams = [stack.enter_context(Stream(path, bar.update)) for path in whole]
        names = ["train", *(name for name, pairs in router.chosen.items() if len(pairs))]
        writers = {name: stack.enter_context(_writer(staging, name)) for name in names}
        work = stack.enter_context(worker_map(router, args.workers))
        for routed in work(aligned_blocks(*streams)):
            stats.dropped["held_out"] += routed.held_out
            for name, writer in writers.items():
                source, target, count = routed.parts[name]
                writer.write(source, target)
                stats.kept[name] += count


def _progress(description, size):
    return tqdm(
        desc=description,
        total=size,
        unit="B",
        unit_scale=True,
        disable=True if sys.stderr is None else None,  # None: where it is no terminal
        leave=False,
    )


def main(argv=None):
    args = parse_args(__doc__, argv)
    stats = prepare(args)
    print(f"{args.out}: {args.source_lang}-{args.target_lang}")
    print(f"  read     {stats['read']:>12,}")
    for split, count in stats["splits"].items():
        print(f"  {split:8} {count:>12,}")
    print(f"  dropped  {stats['dropped']:>12,}")
    for reason, count in stats["reasons"].items():
        if count or (reason == "excluded" and args.exclude):
            print(f"    {reason:10} {count:>8,}")


if __name__ == "__main__":
    run_script(main)
