"""Greedy search that checks a draft of several symbols in one call of the decoder.

Every row has its draft, and the decoder says at each of its symbols what greedy search
would have written there. What agrees from the beginning on is kept, and the symbol behind
it, which the decoder has said as well; the rest is thrown away::

    written    d r a w        draft      i n g s        decoder says    i n g . .
                              kept       i n g .

So a call writes one symbol at least, and what is written is what greedy search writes.

Source: Stern et al. 2018, *Blockwise Parallel Decoding*, section 3; Leviathan et al. 2023,
*Fast Inference from Transformers via Speculative Decoding*, for drafts of another model.
"""

import math
import time

import torch

# A store is copied to drop rows that are done: not for each of them.
SHARE_LEFT = 0.75


class DraftSearch:
    """Greedy search over a batch.

    Args:
        models (list of FairseqModel): an ensemble, whose probabilities are averaged.
        encoder_outs (list of dict): of each model.
        rules (GreedyRules): which symbols may follow.
        draft: what foresees, see :mod:`.drafts`.
        length (DraftLength): how many symbols to draft.
        begin (int): what a translation begins with.
        limit (int): the most symbols, ``</s>`` included.
        temperature (float): logits are divided by it.
    """

    def __init__(
        self, models, encoder_outs, rules, draft, length, begin, limit, temperature=1.0
    ):
        self.models, self.rules, self.draft, self.length = models, rules, draft, length
        self.temperature = temperature
        self.caches = [
            model.decoder.start_chains(encoder_out, limit)
            for model, encoder_out in zip(models, encoder_outs)
        ]
        rows, device = self.caches[0].num_rows, self.caches[0].lengths.device
        self.rows = torch.arange(rows, device=device)
        #: Long[B, limit + 1]: what begins, then what is written, then padding
        self.tokens = torch.full((rows, limit + 1), rules.pad, device=device)
        self.tokens[:, 0] = begin
        self.scores = torch.zeros(rows, limit, device=device)
        #: Long[B]: symbols behind the first, those of rows that are done included
        self.written = torch.zeros(rows, dtype=torch.long, device=device)
        #: calls of the decoder, those of each row that had not ended, symbols written
        self.calls = self.row_calls = self.symbols = 0
        self._states = None

    def run(self):
        """Write all rows to their ends.

        Returns:
            tuple: tokens Long[B, limit + 1]; log-probabilities Float[B, limit] of the
            symbols behind the first one; how many these are, Long[B], ``</s>`` the last.
        """
        while len(self.rows):
            done = self._step()
            if done.all():
                break
            if done.any() and (~done).sum() <= SHARE_LEFT * len(done):
                self._drop(done)
        return self.tokens, self.scores, self.written

    def _step(self):
        """One call of the decoder. Returns Bool[B']: which rows have ended."""
        rows, before, began = self.rows, self.written[self.rows], time.perf_counter()
        draft = self._drafted(rows, before)
        newest = self.tokens[rows].gather(1, before[:, None])
        log_probs, states = self._decode(torch.cat([newest, draft], 1))
        choice, log_probs = self.rules.choose(log_probs, self.tokens[rows], draft, before)
        agreed = choice[:, :-1].eq(draft).long().cumprod(1).sum(1)
        # Behind </s> nothing is written; a row that is done writes nothing.
        ends = choice.eq(self.rules.eos)
        first = torch.where(ends.any(1), ends.long().argmax(1), ends.shape[1])
        count = torch.minimum(agreed, first) + 1
        was_done = newest[:, 0].eq(self.rules.eos) & before.gt(0)
        count = count.masked_fill(was_done, 0)
        self._write(rows, before, count, choice, log_probs)
        for cache in self.caches:
            cache.keep(count)
        self._states = states.gather(
            1, (count - 1).clamp(min=0)[:, None, None].expand(-1, -1, states.shape[2])
        )[:, 0]
        self.calls += 1
        self.row_calls += int((~was_done).sum())
        self.symbols += int(count.sum())
        seconds = time.perf_counter() - began
        self.length.note(agreed[~was_done], draft.shape[1], len(rows), seconds)
        return was_done | (first < count)

    def _drafted(self, rows, before):
        """Long[B', k]."""
        tokens = self.tokens[rows]
        room = self.tokens.shape[1] - 2 - int(before.min())
        k = max(0, min(self.length.next(len(rows)), room))
        if k == 0:
            return tokens[:, :0]
        draft = self.draft.propose(self._states, tokens, before + 1, k)
        return self.rules.with_forced(draft, before)

    def _decode(self, symbols):
        """Log-probabilities Float[B', g, V]; states Float[B', g, D] of the first model."""
        found, first_states = [], None
        for model, cache in zip(self.models, self.caches):
            logits, states = model.decoder.continue_chains(symbols, cache)
            logits = (logits.div_(self.temperature), None)
            found.append(model.get_normalized_probs(logits, log_probs=True, sample=None))
            first_states = states if first_states is None else first_states
        if len(found) == 1:
            return found[0], first_states
        mean = torch.logsumexp(torch.stack(found), 0) - math.log(len(found))
        return mean, first_states

    def _write(self, rows, before, count, choice, log_probs):
        """Put the first ``count`` of ``choice`` (Long[B', g]) behind what is there."""
        steps = torch.arange(choice.shape[1], device=choice.device)
        row, step = (steps < count[:, None]).nonzero(as_tuple=True)
        place = before[row] + step
        self.tokens[rows[row], place + 1] = choice[row, step]
        self.scores = self.scores.type_as(log_probs)
        self.scores[rows[row], place] = log_probs[row, step]
        self.written[rows] += count

    def _drop(self, done):
        left = (~done).nonzero()[:, 0]
        self.rows = self.rows[left]
        self._states = self._states[left]
        for cache in self.caches:
            cache.select(left)
        self.rules.select(left)
