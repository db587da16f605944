"""Beam search over a batch: fairseq's, in few operations a step."""

import math

import numpy as np
import torch
from fairseq import utils

from .beam_books import BeamBooks


class BeamSearch:
    """fairseq's beam search, symbol by symbol, ties included.

    What is of the size of the vocabulary is on the models' device; who continues whom is
    reckoned beside it, see :class:`BeamBooks`.

    Args:
        models (list of FairseqModel): an ensemble, whose probabilities are averaged.
        encoder_outs (list of dict): of each model, a row a sentence.
        rules (BeamRules): which symbols may follow.
        limits (Long[S]): the step at which a sentence ends at the latest.
        beam (int): g.
        eos (int): the symbol that ends.
        begin (int or Long[S * g]): what translations begin with.
        temperature (float): logits are divided by it.
    """

    def __init__(
        self, models, encoder_outs, rules, limits, beam, eos, begin, temperature=1.0
    ):
        self._models, self._rules, self._temperature = models, rules, temperature
        self._beam, self._eos, self._begin = beam, eos, begin
        self._limits = limits
        longest = int(limits.max()) + 1
        self._caches = [
            model.decoder.start_beams(encoder_out, beam, longest)
            for model, encoder_out in zip(models, encoder_outs)
        ]

    def run(self):
        """Write all sentences to their ends.

        Returns:
            BeamBooks

        Raises:
            RuntimeError: a model's output is NaN or infinite, or nothing may follow.
        """
        device, beam = self._limits.device, self._beam
        symbols = self._limits.new_empty(len(self._limits), beam)
        symbols.view(-1)[:] = self._begin
        limits, books, sums = self._limits.cpu().numpy(), None, None
        for step in range(int(limits.max()) + 1):
            log_probs = self._log_probs(symbols, step)
            books = books or BeamBooks(limits, beam, log_probs.shape[1], self._eos)
            self._rules.restrict(log_probs, step)
            best = _best(log_probs.view(len(symbols), beam, -1), sums)
            best, candidates = (x.cpu().numpy() for x in best)
            if np.isnan(best[:, 0]).any():  # which comes before all numbers
                raise self._models[0].decoder.not_finite(step + 1)
            choice = books.choose(best, candidates)
            if choice is None:
                return books
            parents, symbols, sums = (
                torch.from_numpy(x).to(device)
                for x in (choice.parents, choice.symbols, choice.scores)
            )
            self._rules.advance(parents, symbols)
            self._follow(choice, parents)
            symbols, sums = symbols.view(-1, beam), sums.view(-1, beam, 1)
        raise RuntimeError(
            "no symbol may follow, not even </s>: the model gives it no probability; take "
            "another checkpoint"
        )

    def _log_probs(self, symbols, step):
        """Float[S * g, V], of what follows ``symbols`` (Long[S, g])."""
        found = []
        for model, cache in zip(self._models, self._caches):
            logits = model.decoder.continue_beams(symbols, cache, step).flatten(0, 1)
            if self._temperature != 1.0:
                logits.div_(self._temperature)
            found.append(utils.log_softmax(logits, dim=-1))
        if len(found) == 1:
            return found[0]
        return torch.logsumexp(torch.stack(found), 0) - math.log(len(found))

    def _follow(self, choice, parents):
        """Let the models' caches go on with the rows that were chosen."""
        beam = self._beam
        rows = np.arange(len(choice.parents))
        now = choice.parents % beam + rows - rows % beam
        stays = np.array_equal(now, rows)
        if choice.moves is not None:
            moves = [torch.from_numpy(x).to(parents.device) for x in choice.moves]
            parents = torch.from_numpy(now).to(parents.device)
        for cache in self._caches:
            if choice.moves is not None:
                cache.drop(*moves, len(rows) // beam)
            if not stays:
                cache.follow(parents)


def _best(log_probs, sums):
    """The best candidates of each sentence, twice as many as hypotheses: as many as may
    end, and as many to go on.

    Args:
        log_probs (Float[S, g, V]): changed in place.
        sums (Float[S, g, 1] or None): of what is written; None at the first step, when
            all hypotheses of a sentence are one.

    Returns:
        tuple: sums Float[S, k], the best first, and hypothesis times V plus symbol.
    """
    count = 2 * log_probs.shape[1]
    log_probs = log_probs[:, 0] if sums is None else log_probs.add_(sums).flatten(1)
    # One less than there are: padding is never chosen.
    return log_probs.topk(min(count, log_probs.shape[1] - 1))
