"""Reading hypotheses and scoring them with SacreBLEU."""

from .hypotheses import Hypotheses, read_hypotheses, read_lines
from .scoring import System, score_systems

__all__ = ["Hypotheses", "System", "read_hypotheses", "read_lines", "score_systems"]
