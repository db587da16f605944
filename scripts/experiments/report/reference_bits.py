"""Bits that a model needs for the references of a test set, whatever its unit."""

import re

import numpy as np

from fairseq_bytefusion.text.lines import raw_lines

_LINE = re.compile(rb"([HPT])-(\d+)\t(.*)", re.DOTALL)
_UNKNOWN = b"<<unk>>"


def reference_bits(log, reference):
    """Bits and bytes of each reference.

    The bits are those of all its symbols and of the end of the sentence; the bytes are
    those of the raw line and, for the end, one more, which is the line's end. What the
    vocabulary lacks is one symbol, and cheap: it is counted.

    Args:
        log (str): of ``fairseq-generate --score-reference``.
        reference (str): path of the raw references.

    Returns:
        tuple: float64[N] bits, int64[N] bytes, and the number of unknown symbols.

    Raises:
        OSError: a file cannot be read.
        ValueError: the log is of another number of sentences.
    """
    with open(reference, "rb") as file:
        sizes = np.fromiter((len(line) + 1 for line in raw_lines(file)), np.int64)
    # "H-3<tab>mean log2 probability of a symbol<tab>text", with all its digits;
    # "P-3<tab>that of each symbol", rounded.
    means, counts, unknown = {}, {}, 0
    with open(log, "rb") as file:
        for match in filter(None, map(_LINE.fullmatch, file.read().split(b"\n"))):
            kind, number, text = match[1], int(match[2]), match[3]
            if kind == b"H":
                means[number] = float(text.split(b"\t")[0])
            elif kind == b"P":
                counts[number] = len(text.split())
            else:
                unknown += text.count(_UNKNOWN)
    expected = set(range(len(sizes)))
    if means.keys() != expected or counts.keys() != expected:
        raise ValueError(
            f"{log} scores {len(means)} sentences and {reference} has {len(sizes)}: delete "
            "the log, so that the references are scored again"
        )
    bits = [-means[number] * counts[number] for number in range(len(sizes))]
    return np.array(bits, np.float64), sizes, unknown
