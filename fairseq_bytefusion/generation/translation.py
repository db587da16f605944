"""What a translator returns."""

from dataclasses import dataclass
from typing import Optional, Tuple


@dataclass(frozen=True)
class Translation:
    """A translation, its score and what else the beam holds."""

    text: str
    #: log-probability a symbol (fairseq's ``score``): natural logarithm, length-normalised
    score: float
    #: the other hypotheses, best first; they have no alternatives themselves
    alternatives: Tuple["Translation", ...] = ()
    #: each word and its log-probability, the sum of its symbols' and of the white space
    #: before it
    words: Tuple[Tuple[str, float], ...] = ()
    #: log-probability of what is behind the last word: white space and ``</s>``
    end_score: float = 0.0
    #: whether the source, or a target that is scored, was too long and has been cut
    cut: bool = False
    #: how many parts of the source were translated apart (``split_long``)
    parts: int = 1
    #: pairs of a source word and a target word, from 0; None where nobody asked for them
    alignment: Optional[Tuple[Tuple[int, int], ...]] = None

    @property
    def log_probability(self):
        """float: of the whole translation, ``</s>`` included."""
        return sum(score for _, score in self.words) + self.end_score

    @property
    def pharaoh(self):
        """str: the alignment in Pharaoh's format, ``0-0 1-2``: source, target."""
        return " ".join(f"{source}-{target}" for source, target in self.alignment or ())
