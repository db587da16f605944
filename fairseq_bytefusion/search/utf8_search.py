"""A search strategy that can only emit valid UTF-8, around any of fairseq's."""

import torch
from fairseq.search import Sampling, Search

from ..text.utf8 import Utf8Automaton


class Utf8Search(Search):
    """Gives impossible symbols probability zero, then lets ``search`` choose.

    Impossible are a byte that cannot continue the UTF-8 text so far, a newline, a
    special symbol, ``</s>`` inside a character, and a character that would not fit
    before the sentence's length limit. When sampling, the other probabilities are
    scaled to sum to one; a beam search's scores stay those of the model.

    Symbols that the user forces (``--prefix-size``) are left alone; the text goes on
    behind them with whole characters.

    Args:
        tgt_dict (ByteDictionary)
        search (fairseq.search.Search)
    """

    def __init__(self, tgt_dict, search):
        super().__init__(tgt_dict)
        self.search = search
        self.supports_constraints = search.supports_constraints
        self.stop_on_max_len = search.stop_on_max_len
        self.needs_src_lengths = getattr(search, "needs_src_lengths", False)
        self._automaton = Utf8Automaton(tgt_dict)
        self._limits = None
        self._forced = None

    def start(self, limits):
        """Begin a batch: Long[B], the most symbols of each sentence before ``</s>``."""
        self._limits = limits
        self._forced = None
        self._automaton.to(limits.device)

    @property
    def limits(self):
        """Long[B'], the limits of the sentences that are left."""
        return self._limits

    @property
    def automaton(self):
        """Utf8Automaton: on the device of the batch."""
        return self._automaton

    def force(self, prefix_tokens, step):
        """Note which sentences are forced at this step (Long[B', T], pad: not)."""
        self._forced = prefix_tokens[:, step].ne(self.pad)

    def step(self, step, lprobs, scores, prev_output_tokens=None, original_batch_idxs=None):
        """As fairseq's; ``lprobs`` Float[B, g, V] are changed in place."""
        beam = lprobs.shape[1]
        state = self._automaton.state(prev_output_tokens)
        room = (self._limits - step).repeat_interleave(beam)
        mask = self._automaton.mask(state, room).view_as(lprobs)
        if self._forced is not None:
            mask.masked_fill_(self._forced[:, None, None], 0.0)
        lprobs += mask
        if isinstance(self.search, Sampling):
            rescaled = lprobs.log_softmax(-1)
            if self._forced is not None:
                rescaled = torch.where(self._forced[:, None, None], lprobs, rescaled)
            lprobs = rescaled
        self._forced = None
        return self.search.step(
            step, lprobs, scores, prev_output_tokens, original_batch_idxs
        )

    def inside_character(self, tokens):
        """Bool[N]: which of the prefixes (Long[N, T]) end inside a character."""
        return self._automaton.state(tokens) > 0

    def set_src_lengths(self, src_lengths):
        self.search.set_src_lengths(src_lengths)

    def init_constraints(self, batch_constraints, beam_size):
        self.search.init_constraints(batch_constraints, beam_size)

    def prune_sentences(self, batch_idxs):
        """Keep the sentences ``batch_idxs`` (Long[B'])."""
        self._limits = self._limits[batch_idxs]
        self.search.prune_sentences(batch_idxs)

    def update_constraints(self, active_hypos):
        self.search.update_constraints(active_hypos)
