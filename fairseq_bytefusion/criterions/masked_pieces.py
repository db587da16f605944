"""``--criterion masked_pieces``: the pieces that were masked."""

import math

import torch.nn.functional as F
from fairseq import utils
from fairseq.criterions import FairseqCriterion, register_criterion
from fairseq.dataclass import FairseqDataclass
from fairseq.logging import metrics


@register_criterion("masked_pieces", dataclass=FairseqDataclass)
class MaskedPiecesCriterion(FairseqCriterion):
    """Cross-entropy of the pieces that are predicted, over the whole vocabulary.

    Logged in bits, with its perplexity and how often the piece is the likeliest one.
    """

    def forward(self, model, sample, reduce=True):
        """The loss of a batch.

        Args:
            model (Char2SubwordMLMModel)
            sample (dict): see ``data.masked_pieces``.
            reduce (bool): sum over the pieces.

        Returns:
            tuple: loss Float[] (Float[N] without ``reduce``), number of pieces, sums to
            log.
        """
        logits, target = model(**sample["net_input"]), sample["target"]
        losses = F.cross_entropy(logits.float(), target, reduction="none")
        log = {
            "loss": losses.detach().sum(),
            "correct": logits.argmax(1).eq(target).sum(),
            "ntokens": sample["ntokens"],
            "nsentences": sample["nsentences"],
            "sample_size": len(target),
        }
        return (losses.sum() if reduce else losses), len(target), log

    @classmethod
    def reduce_metrics(cls, logging_outputs):
        """Means over the pieces of all batches and workers."""
        count, loss, correct = (
            float(sum(log[name] for log in logging_outputs))
            for name in ("sample_size", "loss", "correct")
        )
        if count:
            metrics.log_scalar("loss", loss / count / math.log(2), count, round=3)
            metrics.log_scalar("accuracy", 100 * correct / count, count, round=2)
            metrics.log_derived(
                "ppl", lambda meters: utils.get_perplexity(meters["loss"].avg)
            )

    @staticmethod
    def logging_outputs_can_be_summed():
        """bool: they are sums."""
        return True
