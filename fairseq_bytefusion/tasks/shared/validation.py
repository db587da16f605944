"""What a validation of ``byte_translation`` logs beside the loss."""

import math

import numpy as np
import torch
from fairseq.logging import metrics
from fairseq.tasks.translation import EVAL_BLEU_ORDER
from sacrebleu.metrics import BLEU

# Keys of the logging outputs of validation.
BLEU_KEYS = [
    *(f"_bleu_{kind}_{i}" for kind in ("counts", "totals") for i in range(EVAL_BLEU_ORDER)),
    *("_bleu_sys_len", "_bleu_ref_len"),
]


class LoggedValidation:
    """For a translation task: scores of each language pair, and a BLEU that is never
    missing.

    With several pairs ``loss`` and ``bleu`` are those of all sentences together, and
    ``loss_de-en``, ``bleu_de-en`` those of one language pair.
    """

    @property
    def language_pairs(self):
        """list of str: ``de-en`` ..., where there are several; else empty."""
        pairs = [f"{src}-{tgt}" for src in self.source_langs for tgt in self.target_langs]
        return pairs if len(pairs) > 1 else []

    def valid_step(self, sample, model, criterion):
        """As in fairseq, with what is known of each language pair.

        Raises:
            ValueError: the split has no reference.
        """
        if sample["target"] is None:
            self.require_references("validation")
        loss, sample_size, logging_output = super().valid_step(sample, model, criterion)
        # Workers add up their outputs key by key: each must have those of every pair.
        for pair in self.language_pairs:
            is_this = sample.get("pair") == pair
            for key in ("loss", "sample_size", *BLEU_KEYS):
                if key in logging_output:
                    value = logging_output[key]
                    logging_output[_of_pair(key, pair)] = value if is_this else _zero(value)
        return loss, sample_size, logging_output

    def reduce_metrics(self, logging_outputs, criterion):
        """As in fairseq, and what is said of each language pair; BLEU is logged also where
        it is 0."""
        if self.cfg.eval_bleu and any("_bleu_sys_len" in log for log in logging_outputs):
            for key in ("_bleu_counts", "_bleu_totals"):
                metrics.log_scalar(key, np.zeros(EVAL_BLEU_ORDER))
            for key in ("_bleu_sys_len", "_bleu_ref_len"):
                metrics.log_scalar(key, 0)
            metrics.log_derived("bleu", _bleu_of_counts)
        super().reduce_metrics(logging_outputs, criterion)
        for pair in self.language_pairs:
            _log_pair(logging_outputs, pair)


def _of_pair(key, pair):
    return f"_{pair}:{key}"


def _zero(value):
    return torch.zeros_like(value) if torch.is_tensor(value) else 0


def _sum(logging_outputs, key):
    return float(sum(log.get(key, 0) for log in logging_outputs))


def _log_pair(logging_outputs, pair):
    """Log the loss and the n-gram counts of one language pair of a validation."""

    def total(key):
        return _sum(logging_outputs, _of_pair(key, pair))

    if total("sample_size") > 0:
        # In bits, as fairseq's criterions log it.
        loss = total("loss") / total("sample_size") / math.log(2)
        metrics.log_scalar(f"loss_{pair}", loss, total("sample_size"), round=3)
    if any(_of_pair("_bleu_sys_len", pair) in log for log in logging_outputs):
        values = {key: total(key) for key in BLEU_KEYS}
        for key in ("_bleu_counts", "_bleu_totals"):
            array = np.array([values[f"{key}_{i}"] for i in range(EVAL_BLEU_ORDER)])
            metrics.log_scalar(f"{key}_{pair}", array)
        for key in ("_bleu_sys_len", "_bleu_ref_len"):
            metrics.log_scalar(f"{key}_{pair}", values[key])
        metrics.log_derived(
            f"bleu_{pair}", lambda meters: _bleu_of_counts(meters, f"_{pair}")
        )


def _bleu_of_counts(meters, suffix=""):
    """BLEU of the summed n-gram counts of a validation, as fairseq rounds it."""
    bleu = BLEU.compute_bleu(
        correct=meters[f"_bleu_counts{suffix}"].sum,
        total=meters[f"_bleu_totals{suffix}"].sum,
        sys_len=int(meters[f"_bleu_sys_len{suffix}"].sum),
        ref_len=int(meters[f"_bleu_ref_len{suffix}"].sum),
        smooth_method="exp",
    )
    return round(bleu.score, 2)
