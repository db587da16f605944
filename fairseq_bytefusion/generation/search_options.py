"""How translations are searched for, or drawn."""

import math
from argparse import Namespace
from dataclasses import dataclass
from typing import Optional, Union

from ..search.draft_generator import check_draft_options, check_greedy
from ..search.draft_length import AUTO, parse_draft_length
from ..search.drafts import DRAFTS
from .sentences import check_count

_LIMITS = ("max_len_a", "max_len_b")


@dataclass(frozen=True)
class SearchOptions:
    """Options of a search; what has a flag in fairseq means what it does there.

    Raises:
        TypeError: a number is none.
        ValueError: a number out of its range; options that contradict each other, or one
            that would do nothing.
    """

    #: hypotheses kept a sentence, or samples drawn
    beam: int = 5
    #: how many of them are returned; by default all
    nbest: Optional[int] = None
    #: above 1 favours long translations, below 1 short ones
    lenpen: float = 1.0
    #: draw symbols by their probabilities instead of searching for the best
    sampling: bool = False
    #: draw from the fewest symbols that have this probability together
    sampling_topp: Optional[float] = None
    #: logits are divided by it: above 0; less than 1 makes likely symbols likelier
    temperature: float = 1.0
    #: of the draws; by default torch's generator goes on
    seed: Optional[int] = None
    #: a translation has at most ``max_len_a * T + max_len_b`` symbols, T those of the
    #: source; by default those of the task
    max_len_a: Optional[float] = None
    max_len_b: Optional[int] = None
    #: with a beam of 1: what foresees symbols, so that several are written in one call of
    #: the model (``ngram``, ``heads``, ``both``); translations are those of ``none``
    draft: str = "none"
    #: what ``bytefusion draft`` wrote
    draft_file: Optional[str] = None
    #: how many symbols at a time, or ``auto``
    draft_length: Union[int, str] = AUTO

    def __post_init__(self):
        check_count("beam", self.beam)
        for name in ("lenpen", "sampling_topp", "temperature", "max_len_a"):
            _check_number(name, getattr(self, name))
        for name in ("seed", "max_len_b"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name), least=0)
        self._check_nbest()
        self._check_draws()
        self._check_limits()
        self._check_drafts()

    def _check_nbest(self):
        if self.nbest is None:
            return
        check_count("nbest", self.nbest)
        if self.nbest > self.beam:
            raise ValueError(
                f"nbest {self.nbest} is more than beam {self.beam}, which is all that "
                "there is: raise beam"
            )
        if self.sampling and self.nbest != self.beam:
            raise ValueError(
                f"sampling draws beam = {self.beam} translations, and nbest is "
                f"{self.nbest}: make them equal"
            )

    def _check_draws(self):
        if not self.temperature > 0:
            raise ValueError(f"temperature must be above 0, not {self.temperature:g}")
        for name in ("sampling_topp", "seed"):
            if getattr(self, name) is not None and not self.sampling:
                raise ValueError(f"{name} does nothing without sampling: add that")
        if self.sampling_topp is not None and not 0 < self.sampling_topp <= 1:
            raise ValueError(
                f"sampling_topp must be a probability above 0, not {self.sampling_topp:g}"
            )

    def _check_limits(self):
        a, b = self.max_len_a, self.max_len_b
        if a is not None and a < 0:
            raise ValueError(f"max_len_a must be at least 0, not {a:g}")
        if b == 0 and a is not None and a < 1:
            raise ValueError(
                f"max_len_a {a:g} and max_len_b 0 leave no room for a translation: raise "
                "max_len_b"
            )

    def _check_drafts(self):
        drafts = ("none", *DRAFTS)
        if self.draft not in drafts:
            raise ValueError(
                f"draft must be one of {', '.join(drafts)}, not {self.draft!r:.80}"
            )
        check_draft_options(self)
        if self.draft != "none":
            parse_draft_length(self.draft_length)
            check_greedy(self)

    def for_generator(self):
        """Namespace: fairseq's generation options, and those of drafts."""
        names = ("beam", "lenpen", "sampling", "sampling_topp", "temperature", *_LIMITS)
        names += ("draft", "draft_file", "draft_length")
        values = {name: getattr(self, name) for name in names}
        return Namespace(**{k: v for k, v in values.items() if v is not None})

    @property
    def count(self):
        """int: hypotheses that are returned of a sentence."""
        return self.beam if self.nbest is None else self.nbest


def _check_number(name, value):
    if value is None and name in ("sampling_topp", "max_len_a"):
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, not {value!r:.80}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, not {value}")
