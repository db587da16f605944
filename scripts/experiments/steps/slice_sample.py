#!/usr/bin/env python3
"""Two tiny data sets in two languages out of the sample data, for the smoke profile.

    python scripts/experiments/steps/slice_sample.py data_prep/sample --pairs 200 --out RAW

makes RAW/first and RAW/second from different lines. Their language ``hi`` is the sample's
romanised Hindi; ``hx`` is the same with other vowels, as a related language may have. Its
labelled sentences are cut likewise: {train,valid,test}.conll and .tsv.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.output import run_script, write_atomically  # noqa: E402

VOWELS = bytes.maketrans(b"aeiouAEIOU", b"eioauEIOAU")


def slices(sample, pairs, out):
    """Write ``pairs`` training pairs a set, and as many labelled sentences; a fifth of
    that for valid and test.

    Args:
        sample (Path): the folder of the Hinglish-English sample.
        pairs (int)
        out (Path)
    """
    for split, size in (("train", pairs), ("valid", pairs // 5), ("test", pairs // 5)):
        sides = [
            (sample / f"{split}.hinglish-en.{lang}").read_bytes().split(b"\n")[: 2 * size]
            for lang in ("hinglish", "en")
        ]
        for k, name in enumerate(("first", "second")):
            source, target = (side[k * size : (k + 1) * size] for side in sides)
            related = [line.translate(VOWELS) for line in source]
            for language, lines in (("hi", source), ("hx", related)):
                (out / name).mkdir(parents=True, exist_ok=True)
                for lang, content in ((language, lines), ("en", target)):
                    path = out / name / f"{split}.{language}-en.{lang}"
                    write_atomically(str(path), b"".join(x + b"\n" for x in content))
            for kind, end in (("conll", b"\n\n"), ("tsv", b"\n")):
                labelled = (sample / f"{split}.{kind}").read_bytes().split(end)
                chosen = labelled[k * size : (k + 1) * size]
                path = out / name / f"{split}.{kind}"
                write_atomically(str(path), b"".join(x + end for x in chosen))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sample", type=Path)
    parser.add_argument("--pairs", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    slices(args.sample, args.pairs, args.out)


if __name__ == "__main__":
    run_script(main)
