"""How many translations reached the length limit of the search."""

import argparse
import re

import numpy as np

from fairseq_bytefusion.tasks.shared.generation_limits import MAX_LEN_A, MAX_LEN_B
from fairseq_bytefusion.tasks.shared.translation_options import ByteTranslationConfig

_SYMBOLS = re.compile(rb"(?m)^P-(\d+)\t(.*)")


def limit_of(command):
    """The limits that a command line of ``fairseq-generate`` gives, or the defaults.

    Args:
        command (list of str)

    Returns:
        tuple: float, int: a translation has at most this many times its source's symbols,
        plus this many.
    """
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    parser.add_argument("--max-len-a", type=float, default=MAX_LEN_A)
    parser.add_argument("--max-len-b", type=int, default=MAX_LEN_B)
    known, _ = parser.parse_known_args(command)
    return known.max_len_a, known.max_len_b


def count_at_limit(log, source_lengths, command):
    """How many translations are as long as they may become.

    The limit is that of a sentence's own source. Of other units than the byte, fairseq
    takes the longest source of a batch: there a few may have ended by themselves.

    Args:
        log (str): of ``fairseq-generate``.
        source_lengths (int64[N]): symbols of the sources, ends of sentences included.
        command (list of str): which made it.

    Returns:
        int

    Raises:
        OSError: it cannot be read.
    """
    a, b = limit_of(command)
    longest = ByteTranslationConfig.max_source_positions
    limits = (a * np.minimum(source_lengths, longest) + b).astype(np.int64)
    limits = np.minimum(limits, ByteTranslationConfig.max_target_positions - 1)
    lengths = {}
    with open(log, "rb") as file:
        for number, scores in _SYMBOLS.findall(file.read()):
            lengths.setdefault(int(number), len(scores.split()))
    # A score a symbol, and one of the end of the sentence, which is forced at the limit.
    return sum(length > limits[number] for number, length in lengths.items())
