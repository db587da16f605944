"""What a validation of ``byte_translation`` logs beside the loss."""

import logging
import math

import numpy as np
import sacrebleu
import torch
from fairseq import utils
from fairseq.logging import metrics

from .summed_scores import SUMMED_SCORES, chrf_statistics

logger = logging.getLogger(__name__)

# Keys of the logging outputs of validation that are known of each language pair.
PAIR_KEYS = ("loss", "sample_size", *(key for s in SUMMED_SCORES for key in s.keys))


class LoggedValidation:
    """For a translation task: chrF2 beside BLEU, both of them never missing, and scores
    of each language pair.

    With several pairs ``loss``, ``bleu`` and ``chrf`` are those of all sentences together,
    and ``loss_de-en``, ``bleu_de-en``, ``chrf_de-en`` those of one language pair.
    """

    @property
    def language_pairs(self):
        """list of str: ``de-en`` ..., where there are several; else empty."""
        pairs = [f"{src}-{tgt}" for src in self.source_langs for tgt in self.target_langs]
        return pairs if len(pairs) > 1 else []

    def valid_step(self, sample, model, criterion):
        """As in fairseq, with chrF2 and with what is known of each language pair.

        Raises:
            ValueError: the split has no reference.
        """
        if sample["target"] is None:
            self.require_references("validation")
        loss, sample_size, logging_output = super().valid_step(sample, model, criterion)
        if self.cfg.eval_bleu:
            logging_output.update(self._chrf_statistics)
        # Workers add up their outputs key by key: each must have those of every pair.
        for pair in self.language_pairs:
            is_this = sample.get("pair") == pair
            for key in PAIR_KEYS:
                if key in logging_output:
                    value = logging_output[key]
                    logging_output[_of_pair(key, pair)] = value if is_this else _zero(value)
        return loss, sample_size, logging_output

    def _inference_with_bleu(self, generator, sample, model):
        """As in fairseq, which returns nothing but BLEU: chrF2's statistics of the same
        texts are left to :meth:`valid_step`."""
        found = self.inference_step(generator, [model], sample, prefix_tokens=None)
        hypotheses = [
            self._validation_text(row[0]["tokens"], "UNKNOWNTOKENINHYP") for row in found
        ]
        padding = self.target_dictionary.pad()
        # Symbols that are not known never match.
        references = [
            self._validation_text(utils.strip_pad(row, padding), "UNKNOWNTOKENINREF")
            for row in sample["target"]
        ]
        if self.cfg.eval_bleu_print_samples:
            logger.info("example hypothesis: %s", hypotheses[0])
            logger.info("example reference: %s", references[0])
        self._chrf_statistics = chrf_statistics(hypotheses, references)
        options = {"tokenize": "none"} if self.cfg.eval_tokenized_bleu else {}
        return sacrebleu.corpus_bleu(hypotheses, [references], **options)

    def _validation_text(self, tokens, unk_string):
        text = self.target_dictionary.string(
            tokens.int().cpu(), self.cfg.eval_bleu_remove_bpe, unk_string=unk_string
        )
        return self.tokenizer.decode(text) if self.tokenizer else text

    def reduce_metrics(self, logging_outputs, criterion):
        """As in fairseq, with chrF2 and with what is said of each language pair; BLEU is
        logged also where it is 0."""
        for score in SUMMED_SCORES:  # before fairseq, whose bleu may be missing
            _log_score(logging_outputs, score)
        super().reduce_metrics(logging_outputs, criterion)
        for pair in self.language_pairs:
            _log_loss(logging_outputs, pair)
            for score in SUMMED_SCORES:
                _log_score(logging_outputs, score, pair)


def _of_pair(key, pair):
    return key if pair is None else f"_{pair}:{key}"


def _zero(value):
    return torch.zeros_like(value) if torch.is_tensor(value) else 0


def _sum(logging_outputs, key):
    return float(sum(log.get(key, 0) for log in logging_outputs))


def _log_loss(logging_outputs, pair):
    """Log the loss of one language pair, in bits, as fairseq's criterions log it."""
    size = _sum(logging_outputs, _of_pair("sample_size", pair))
    if size > 0:
        loss = _sum(logging_outputs, _of_pair("loss", pair)) / size / math.log(2)
        metrics.log_scalar(f"loss_{pair}", loss, size, round=3)


def _log_score(logging_outputs, score, pair=None):
    """Log a SummedScore of one language pair, or of all sentences (``pair`` None)."""
    keys = [_of_pair(key, pair) for key in score.keys]
    if not any(keys[0] in log for log in logging_outputs):
        return
    name = score.name if pair is None else f"{score.name}_{pair}"
    sums = f"_{name}_sums"
    metrics.log_scalar(sums, np.array([_sum(logging_outputs, key) for key in keys]))
    metrics.log_derived(name, lambda meters: score.compute(meters[sums].sum))
