"""What a validation of ``byte_translation`` logs beside the loss."""

import numpy as np
from fairseq.logging import metrics
from fairseq.tasks.translation import EVAL_BLEU_ORDER
from sacrebleu.metrics import BLEU

# Keys of the logging outputs of validation.
NGRAM_WEIGHT, NUM_STEPS = "ncf_lambda_", "_num_steps"


class LoggedValidation:
    """For a translation task: n-gram weights of ncf, and a BLEU that is never missing."""

    def valid_step(self, sample, model, criterion):
        """As in fairseq; the n-gram weights of ncf are logged beside the loss.

        Raises:
            ValueError: the split has no reference.
        """
        if sample["target"] is None:
            self.require_references("validation")
        loss, sample_size, logging_output = super().valid_step(sample, model, criterion)
        weights = model.ngram_weights() if hasattr(model, "ngram_weights") else {}
        for n, weight in weights.items():
            logging_output[f"{NGRAM_WEIGHT}{n}"] = weight
        logging_output[NUM_STEPS] = 1
        return loss, sample_size, logging_output

    def reduce_metrics(self, logging_outputs, criterion):
        """As in fairseq, and the n-gram weights; BLEU is logged also where it is 0."""
        if self.cfg.eval_bleu and any("_bleu_sys_len" in log for log in logging_outputs):
            for key in ("_bleu_counts", "_bleu_totals"):
                metrics.log_scalar(key, np.zeros(EVAL_BLEU_ORDER))
            for key in ("_bleu_sys_len", "_bleu_ref_len"):
                metrics.log_scalar(key, 0)
            metrics.log_derived("bleu", _bleu_of_counts)
        super().reduce_metrics(logging_outputs, criterion)
        # fairseq sums the outputs of workers; every one of them holds the same weights.
        num_steps = sum(log.get(NUM_STEPS, 0) for log in logging_outputs)
        keys = {k for log in logging_outputs for k in log if k.startswith(NGRAM_WEIGHT)}
        for key in sorted(keys):
            total = sum(log.get(key, 0) for log in logging_outputs)
            metrics.log_scalar(key, total / num_steps, round=4)


def _bleu_of_counts(meters):
    """BLEU of the summed n-gram counts of a validation, as fairseq rounds it."""
    bleu = BLEU.compute_bleu(
        correct=meters["_bleu_counts"].sum,
        total=meters["_bleu_totals"].sum,
        sys_len=int(meters["_bleu_sys_len"].sum),
        ref_len=int(meters["_bleu_ref_len"].sum),
        smooth_method="exp",
    )
    return round(bleu.score, 2)
