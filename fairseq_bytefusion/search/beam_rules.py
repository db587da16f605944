"""What may follow, for all hypotheses of a beam search at once."""

import torch

from ..text.utf8 import LONGEST_CHARACTER


class BeamRules:
    """fairseq's rules of a beam search, and those of valid UTF-8.

    Args:
        never (list of int): symbols that never follow.
        eos (int): ``</s>``.
        penalties (dict of int to float): what is taken from a symbol's log-probability.
        max_len (int): at this step only ``</s>`` may follow.
        min_len (int): before this step it may not.
    """

    def __init__(self, never, eos, penalties, max_len, min_len):
        self._never, self._eos, self._penalties = never, eos, penalties
        self._max_len, self._min_len = max_len, min_len
        self._automaton = self._states = self._limits = None

    def keep_to_utf8(self, automaton, limits, beam):
        """Allow valid UTF-8 only.

        Args:
            automaton (Utf8Automaton): on the device of ``limits``.
            limits (Long[S]): the most symbols of each sentence.
            beam (int): g.
        """
        self._automaton = automaton
        self._limits = limits.repeat_interleave(beam)
        self._states = torch.zeros_like(self._limits)
        self._soonest = int(limits.min())

    def restrict(self, log_probs, step):
        """Change log-probabilities Float[S * g, V] of the symbol at ``step`` in place."""
        if self._automaton is None:
            log_probs[:, self._never] = float("-inf")
            for symbol, penalty in self._penalties.items():
                log_probs[:, symbol] -= penalty
            if step >= self._max_len:
                log_probs[:, : self._eos] = float("-inf")
                log_probs[:, self._eos + 1 :] = float("-inf")
        else:  # which forbids all special symbols
            room = None  # for any character
            if self._soonest - step < LONGEST_CHARACTER:
                room = self._limits - step
            log_probs += self._automaton.mask(self._states, room)
        if step < self._min_len:
            log_probs[:, self._eos] = float("-inf")

    def advance(self, parents, symbols):
        """Go on with rows ``parents`` (Long[N']) and what they write, Long[N']."""
        if self._automaton is None:
            return
        if len(parents) < len(self._limits):  # sentences have ended
            self._limits = self._limits.index_select(0, parents)
        states = self._states.index_select(0, parents)
        self._states = self._automaton.follow(states, symbols)
