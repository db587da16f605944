"""``--criterion masked_characters``: what masked characters were."""

import math

import torch.nn.functional as F
from fairseq.criterions import FairseqCriterion, register_criterion
from fairseq.logging import metrics


@register_criterion("masked_characters")
class MaskedCharactersCriterion(FairseqCriterion):
    """Cross-entropy a masked symbol. Logs ``accuracy`` too, in percent.

    Source: Devlin et al. 2019, section 3.1.
    """

    def forward(self, model, sample, reduce=True):
        """The loss of a batch.

        Args:
            model (MaskedCharactersModel)
            sample (dict): see ``data.MaskedWordsDataset``.
            reduce (bool): sum over the symbols.

        Returns:
            tuple: loss Float[] (Float[N] without ``reduce``), number of symbols, sums to
            log.
        """
        logits, target = model(**sample["net_input"]), sample["target"]
        losses = F.cross_entropy(logits.float(), target, reduction="none")
        log = {
            "loss": losses.detach().sum(),
            "right": logits.argmax(-1).eq(target).sum(),
            "ntokens": sample["ntokens"],
            "nsentences": sample["nsentences"],
            "sample_size": len(target),
        }
        return (losses.sum() if reduce else losses), len(target), log

    @classmethod
    def reduce_metrics(cls, logging_outputs):
        """Means over the masked symbols of all batches and workers."""
        totals = {
            key: float(sum(log[key] for log in logging_outputs))
            for key in ("loss", "right", "sample_size")
        }
        size = totals["sample_size"]
        metrics.log_scalar("loss", totals["loss"] / size / math.log(2), size, round=3)
        metrics.log_scalar("accuracy", 100 * totals["right"] / size, size, round=2)

    @staticmethod
    def logging_outputs_can_be_summed():
        """bool: they are sums."""
        return True
