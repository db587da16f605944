"""Hypotheses of a batch."""

import torch
from fairseq.sequence_scorer import SequenceScorer

from ... import compat


class TaggedInference:
    """For a translation task whose sources and targets may have tags."""

    def inference_step(
        self, generator, models, sample, prefix_tokens=None, constraints=None
    ):
        """Translate a batch; the translation of an empty line is empty.

        A tag of the target is what the decoder begins with, and no part of hypotheses: it
        has no score and no length.

        Raises:
            RuntimeError: the model's output is NaN or infinite.
            ValueError: torch has no --fp16 or --bf16 on this device; the model has tags
                of targets, and none is chosen.
        """
        begin = None
        if self.target_dictionary.tags and not isinstance(generator, SequenceScorer):
            begin = self._begins(sample).repeat_interleave(generator.beam_size)
        with compat.naming_missing_precision(), torch.no_grad():
            hypotheses = generator.generate(
                models,
                sample,
                prefix_tokens=prefix_tokens,
                constraints=constraints,
                bos_token=begin,
            )
        if isinstance(generator, SequenceScorer):  # it scores what it was given
            return hypotheses
        src_tokens = sample["net_input"]["src_tokens"]
        lengths = src_tokens.ne(self.source_dictionary.pad()).sum(1)
        for row in (lengths <= self.source_side.num_specials).nonzero().flatten().tolist():
            hypotheses[row] = [self._empty_hypothesis(src_tokens.device)]
        return hypotheses

    def _begins(self, sample):
        """Long[B]: the tag of each target of a batch."""
        if "target_tag" in sample:
            return sample["target_tag"]
        # fairseq-interactive makes batches anew.
        tokens = sample["net_input"]["src_tokens"]
        return self.target_tag().to(tokens.device).expand(len(tokens))

    def _empty_hypothesis(self, device):
        return {
            "tokens": torch.tensor([self.target_dictionary.eos()], device=device),
            "score": torch.tensor(0.0, device=device),
            "attention": torch.empty(0),
            "alignment": torch.empty(0),
            "positional_scores": torch.zeros(1, device=device),
        }
