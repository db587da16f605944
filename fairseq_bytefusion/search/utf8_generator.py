"""fairseq's sequence generators, made to emit valid UTF-8 only."""

import torch
import torch.nn as nn
from fairseq.search import BeamSearch
from fairseq.sequence_generator import SequenceGenerator, SequenceGeneratorWithAlignment

from .beam_generator import BeamSearching
from .utf8_search import Utf8Search

# How these choose symbols cannot be reconciled with whole characters.
_REFUSED = {
    "match_source_len": "an output of exactly as many bytes as the source",
    "constraints": "a beam that is filled with the bytes of given phrases",
}


class _Utf8Generation:
    """Mixin for :class:`fairseq.sequence_generator.SequenceGenerator`.

    Every hypothesis is valid UTF-8 without a newline, see :class:`Utf8Search`. A
    sentence's length limit, ``max_len_a * length + max_len_b`` symbols, is that of its
    own source. fairseq takes the longest source of the batch; so here a translation
    does not depend on what else is in the batch.
    """

    def __init__(self, models, tgt_dict, *args, search_strategy=None, **kwargs):
        search = Utf8Search(tgt_dict, search_strategy or BeamSearch(tgt_dict))
        super().__init__(models, tgt_dict, *args, search_strategy=search, **kwargs)
        if self.repeat_ngram_blocker is not None:
            self.repeat_ngram_blocker = _BlockAtBoundaries(
                self.repeat_ngram_blocker, search
            )

    def forward(self, sample, *args, **kwargs):
        self._start(sample)
        return super().forward(sample, *args, **kwargs)

    @torch.no_grad()
    def generate(self, models, sample, **kwargs):
        """As fairseq's."""
        self._start(sample)
        return super().generate(models, sample, **kwargs)

    def _start(self, sample):
        lengths = sample["net_input"]["src_tokens"].ne(self.pad).sum(1)
        limits = (self.max_len_a * lengths.double() + self.max_len_b).long()
        self.search.start(limits.clamp(max=self.max_len - 1).clamp(min=self.min_len))

    def _prefix_tokens(self, step, lprobs, scores, tokens, prefix_tokens, beam_size):
        self.search.force(prefix_tokens, step)
        return super()._prefix_tokens(
            step, lprobs, scores, tokens, prefix_tokens, beam_size
        )

    def is_finished(self, step, unfin_idx, max_len, finalized_sent_len, beam_size):
        """Whether a sentence is done: enough hypotheses, or its limit is reached."""
        return step >= int(self.search.limits[unfin_idx]) or super().is_finished(
            step, unfin_idx, max_len, finalized_sent_len, beam_size
        )


class Utf8SequenceGenerator(_Utf8Generation, BeamSearching, SequenceGenerator):
    """Beam search and sampling of valid UTF-8."""

    def _strategy(self):
        return self.search.search

    def _limits_and_rules(self, source, max_len):
        _, rules = super()._limits_and_rules(source, max_len)
        limits = self.search.limits
        rules.keep_to_utf8(self.search.automaton, limits, self.beam_size)
        return limits, rules


class Utf8SequenceGeneratorWithAlignment(_Utf8Generation, SequenceGeneratorWithAlignment):
    """The same for ``--print-alignment``."""


class _BlockAtBoundaries(nn.Module):
    """``--no-repeat-ngram-size`` that lets a character be finished once it is begun."""

    def __init__(self, blocker, search):
        super().__init__()
        self.blocker = blocker
        self.search = search

    def forward(self, tokens, lprobs, bsz, beam_size, step):
        blocked = self.blocker(tokens, lprobs.clone(), bsz, beam_size, step)
        inside = self.search.inside_character(tokens[:, : step + 1])
        return torch.where(inside[:, None], lprobs, blocked)


def utf8_generator_class(args):
    """The generator for generation options, and what to pass to it beside them.

    Args:
        args (Namespace or GenerationConfig): fairseq's generation options.

    Returns:
        tuple: the class and a dict.

    Raises:
        ValueError: an option that cannot be kept to valid UTF-8.
    """
    for name, meaning in _REFUSED.items():
        if getattr(args, name, None):
            raise ValueError(
                f"--{name.replace('_', '-')} asks for {meaning}, which can end inside "
                "a character: drop that flag, or add --allow-invalid-utf8"
            )
    alignment = getattr(args, "print_alignment", None)
    if alignment:
        return Utf8SequenceGeneratorWithAlignment, {"print_alignment": alignment}
    return Utf8SequenceGenerator, {}
