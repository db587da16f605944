"""fairseq's sequence generators, with a beam search of our own where it gives the same."""

from contextlib import nullcontext

import torch
from fairseq import search
from fairseq.sequence_generator import SequenceGenerator

from .beam_rules import BeamRules
from .beam_search import BeamSearch


class BeamSearching:
    """Mixin for :class:`fairseq.sequence_generator.SequenceGenerator`.

    Beam search is our own (:class:`BeamSearch`); what it does not do, as sampling or
    prefixes, is left to fairseq's loop.
    """

    def _generate(self, sample, prefix_tokens=None, constraints=None, bos_token=None):
        if prefix_tokens is not None or constraints is not None or not self._is_plain():
            return super()._generate(sample, prefix_tokens, constraints, bos_token)
        source = sample["net_input"]["src_tokens"]
        longest = int(self.max_len_a * source.shape[1] + self.max_len_b)
        max_len = min(longest, self.max_len - 1)
        assert self.min_len <= max_len, "min_len cannot be larger than max_len"
        models = list(self.model.models)
        # Faster, but what it makes is of no use in training: that must be over.
        is_final = all(model.decoder.is_final for model in models)
        with torch.inference_mode() if is_final else nullcontext():
            limits, rules = self._limits_and_rules(source, max_len)
            books = BeamSearch(
                models,
                self.model.forward_encoder(sample["net_input"]),
                rules,
                limits,
                self.beam_size,
                self.eos,
                begin=self.eos if bos_token is None else bos_token,
                temperature=self.temperature,
            ).run()
        return self._hypotheses(books, source.device)

    def _is_plain(self):
        """Whether the options ask for a beam search and no more."""
        decoders = [getattr(model, "decoder", None) for model in self.model.models]
        return (
            type(self._strategy()) is search.BeamSearch
            and self.lm_model is None
            and self.repeat_ngram_blocker is None
            and not self.match_source_len
            and all(hasattr(d, "start_beams") and not d.need_attn for d in decoders)
        )

    def _strategy(self):
        """fairseq's search strategy."""
        return self.search

    def _limits_and_rules(self, source, max_len):
        """The limit of each sentence Long[S], and BeamRules."""
        never = [self.pad]
        if self.token_indices_to_suppress is not None:
            never += self.token_indices_to_suppress.tolist()
        penalties = {self.unk: self.unk_penalty} if self.unk_penalty else {}
        rules = BeamRules(never, self.eos, penalties, max_len, self.min_len)
        return source.new_full((len(source),), max_len), rules

    def _hypotheses(self, books, device):
        """As fairseq's: for each sentence a list of dicts, the best first."""
        symbols, sums, lengths = books.hypotheses()
        divisors = lengths**self.len_penalty if self.normalize_scores else lengths**0
        lengths = lengths.tolist()
        symbols, sums, divisors = (
            torch.from_numpy(x).to(device) for x in (symbols, sums, divisors)
        )
        totals = sums[torch.arange(len(sums)), torch.tensor(lengths).long() - 1]
        scores = totals / divisors.to(totals)
        each = sums.clone()
        each[:, 1:] -= sums[:, :-1]
        found = [
            {
                "tokens": tokens[:length],
                "score": score,
                "attention": torch.empty(0),
                "alignment": torch.empty(0),
                "positional_scores": of_symbols[:length],
            }
            for tokens, score, of_symbols, length in zip(symbols, scores, each, lengths)
        ]
        ends = iter(found)
        return [_sorted([next(ends) for _ in of_sentence]) for of_sentence in books.ends]


def _sorted(hypotheses):
    """The best first, equal ones in the order that fairseq gives them."""
    scores = torch.tensor([float(h["score"]) for h in hypotheses])
    return [hypotheses[i] for i in torch.sort(scores, descending=True)[1]]


class BeamGenerator(BeamSearching, SequenceGenerator):
    """Beam search over any symbols."""
