"""Whether a training was long enough for its scores to be compared."""

from dataclasses import dataclass
from typing import List

#: A curve has flattened when this last share of the updates made it better by less than
#: ``FLAT_GAIN`` of what it was.
LAST_SHARE = 0.2
FLAT_GAIN = 0.01
#: Below this BLEU a score says nothing of a translation.
LEAST_BLEU = 12


@dataclass(frozen=True)
class Trained:
    """``gain``: the most that the last share made a curve of the row better; ``bleu``: its
    mean on what it was trained for."""

    gain: float
    bleu: float

    @property
    def lacks(self):
        """list of str: why the row is not trained to its end; empty where it is."""
        found = []
        if not self.gain < FLAT_GAIN:
            found.append(
                f"{self.gain:.1%} better in the last {LAST_SHARE:.0%} of the updates"
            )
        if self.bleu < LEAST_BLEU:
            found.append(f"BLEU below {LEAST_BLEU}")
        return found

    @property
    def is_to_its_end(self):
        """Whether the row may be compared."""
        return not self.lacks


def last_gain(bits):
    """By how much a validation curve became better in the last share of its updates.

    What counts is the best so far, which a curve that rises again does not lose.

    Args:
        bits (dict): updates -> bits a byte, in order.

    Returns:
        float: of the value before; 1 where there is no validation before.
    """
    start = max(bits) * (1 - LAST_SHARE)
    before = [value for updates, value in bits.items() if updates <= start]
    return 1 - min(bits.values()) / min(before) if before else 1.0


def judge(curves: List[dict], bleu: float):
    """Trained of a row.

    Args:
        curves (list of dict): of all its trainings, see :func:`last_gain`.
        bleu (float): mean BLEU of what it was trained for.
    """
    return Trained(max(map(last_gain, curves)), bleu)
