"""The colour and the mark of each system, the same in every figure of every report.

Every colour has a contrast of 3 or more to white and to black. They were searched for
with colour blindness simulated (Machado et al. 2009): those that are compared most, the
first seven, differ by 24 or more in CIELAB for red-blind, green-blind and other readers,
all by 12 or more. Marks differ where colours are not enough.
"""

import zlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """A colour, and a marker of matplotlib."""

    colour: str
    marker: str


SYSTEMS = {
    "byte_dense": Style("#0072b2", "o"),
    "byte_ncf_dense": Style("#b02d22", "s"),
    "byte_wsf_dense": Style("#bd8500", "^"),
    "byte_msc_dense": Style("#7900ff", "D"),
    "subword": Style("#6062e8", "X"),
    "char_cnn": Style("#8c976b", "v"),
    "mixture_sum": Style("#7c506a", "P"),
    "char": Style("#cc4fd4", "*"),
    "byte_one_hot": Style("#357b44", "8"),
    "byte_ncf_one_hot": Style("#cf0b03", "p"),
    "byte_wsf_one_hot": Style("#c84f95", "<"),
    "char_rnn": Style("#9c1d96", ">"),
    "char2subword": Style("#e60d4f", "h"),
    "char2subword_learned": Style("#0299ef", "H"),
    "mixture_hybrid": Style("#702bdb", "d"),
    "char_cnn_msc": Style("#5d9ab9", "1"),
    "byte_msc_both": Style("#cd7b91", "2"),
    "hit": Style("#bc893e", "3"),
    "hit_no_outer": Style("#458166", "4"),
    "char_rnn_masked": Style("#723bba", "+"),
    "elmo": Style("#a62b87", "x"),
}
#: Of the n-grams of ncf, the shortest first: no system's, and as different.
NGRAMS = ("#5e78ff", "#bb1c5c", "#b08d12", "#00969a", "#446400", "#bb7c5f")
#: Of the seeds of a system, in order.
DASHES = ("-", "--", ":", "-.")
UNKNOWN = "#767676"
_MARKERS = "o^sDvP*X"


def style_of(system):
    """Style of a system; of one that is not known, grey and a mark that its name gives."""
    marker = _MARKERS[zlib.crc32(system.encode()) % len(_MARKERS)]
    return SYSTEMS.get(system, Style(UNKNOWN, marker))


def dash_of(seed, seeds):
    """Dash of a seed among those of an experiment, sorted."""
    return DASHES[seeds.index(seed) % len(DASHES)]
