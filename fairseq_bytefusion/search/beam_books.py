"""The books of a beam search: who continues whom, and which hypotheses have ended."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Choice:
    """How S sentences go on, g hypotheses each.

    Attributes:
        moves (pair of Long[m]): where sentences have ended, sources and targets: the
            first S are kept, and in the place of a target comes its source from behind
            them; else None.
        parents (Long[S * g]): the row before, not moved yet, that each row continues.
        symbols (Long[S * g]): what it writes.
        scores (float32[S * g]): the sum of its log-probabilities.
    """

    moves: tuple
    parents: np.ndarray
    symbols: np.ndarray
    scores: np.ndarray


class BeamBooks:
    """What fairseq's beam search does with the candidates of a step, without its tensors.

    Hypotheses are not copied: each step notes whom its hypotheses continue, and what has
    ended is read from the end backwards when all is done.

    Args:
        limits (Long[S]): the step at which a sentence ends at the latest.
        beam (int): g.
        num_symbols (int): V, size of the dictionary.
        eos (int): the symbol that ends.

    Source: ``SequenceGenerator._generate`` of fairseq 0.12.2, whose results it gives.
    """

    def __init__(self, limits, beam, num_symbols, eos):
        self.limits, self.beam = limits, beam
        self._num_symbols, self._eos = num_symbols, eos
        self._sentences = np.arange(len(limits))  # which sentence is where
        self._starts = np.arange(0, len(limits) * beam, beam)[:, None]
        # Candidates that were continued, though they have ended, for want of others
        self._ignored = np.zeros((len(limits), beam), dtype=bool)
        self._ignores = False
        self._steps = []  # parents, symbols and scores of all rows
        #: of each sentence its ends, in the order of their finding: step, row, score
        self.ends = [[] for _ in limits]

    def choose(self, scores, candidates):
        """Which candidates go on.

        Args:
            scores (float32[S, k]): descending; those of the k best of a sentence.
            candidates (Long[S, k]): hypothesis times V plus symbol.

        Returns:
            Choice: of the sentences that are left, or None when there are none.
        """
        beam, count = self.beam, len(candidates)
        starts = self._starts[:count]
        beams, symbols = np.divmod(candidates[:, :beam], self._num_symbols)
        if not self._ignores and not (symbols == self._eos).any():
            return self._note(None, beams + starts, symbols, scores)
        beams, symbols = np.divmod(candidates, self._num_symbols)
        parents, ends = beams + starts, symbols == self._eos
        ends &= scores != -np.inf
        ends[:, :beam] &= ~self._ignored
        kept = self._end(ends[:, :beam], parents, scores)
        moves = _moves(kept)
        where = np.arange(count)
        where[moves[1]] = moves[0]
        where = where[: int(kept.sum())]
        self.limits, self._sentences = self.limits[where], self._sentences[where]
        ends[:, :beam] |= self._ignored
        order = ends[where] * 2 * beam + np.arange(ends.shape[1])
        active = order.argsort(1)[:, :beam]
        self._ignored = np.take_along_axis(order, active, 1) >= 2 * beam
        self._ignores = self._ignored.any()
        chosen = where[:, None], active
        moves = moves if len(where) < count else None
        return self._note(moves, parents[chosen], symbols[chosen], scores[chosen])

    def _end(self, ends, parents, scores):
        """Note the hypotheses that end (Bool[S, g]); Bool[S]: the sentences that go on."""
        step, kept = len(self._steps), np.ones(len(ends), dtype=bool)
        for place, rank in zip(*ends.nonzero()):
            found = self.ends[self._sentences[place]]
            if len(found) < self.beam:
                found.append((step, parents[place, rank], scores[place, rank]))
            full = len(found) == self.beam
            kept[place] &= not full and step < self.limits[place]
        return kept

    def _note(self, moves, *columns):
        """Go on with the first g of every sentence."""
        chosen = [x[:, : self.beam].ravel() for x in columns]
        self._steps.append(chosen)
        return Choice(moves, *chosen) if len(chosen[0]) else None

    def hypotheses(self):
        """All that has ended, in the order of :attr:`ends`.

        Returns:
            tuple: symbols Long[M, T] and, of each, the sum of log-probabilities up to it,
            float32[M, T], zeros behind the last; how many symbols each has, Long[M], its
            end included.
        """
        ends = [end for found in self.ends for end in found]
        last = np.array([step for step, _, _ in ends], dtype=np.int64)
        rows = np.array([row for _, row, _ in ends], dtype=np.int64)
        symbols = np.zeros((len(ends), int(last.max(initial=-1)) + 1), dtype=np.int64)
        sums = np.zeros(symbols.shape, dtype=np.float32)
        numbers = np.arange(len(ends))
        symbols[numbers, last] = self._eos
        sums[numbers, last] = [score for _, _, score in ends]
        for step in reversed(range(symbols.shape[1] - 1)):
            there = (last > step).nonzero()[0]
            parents, written, scores = self._steps[step]
            symbols[there, step] = written[rows[there]]
            sums[there, step] = scores[rows[there]]
            rows[there] = parents[rows[there]]
        return symbols, sums, last + 1


def _moves(kept):
    """How the last ones fill the gaps, for ``kept`` (Bool[S]): sources and targets."""
    count = int(kept.sum())
    return kept[count:].nonzero()[0] + count, (~kept[:count]).nonzero()[0]
