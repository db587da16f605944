"""``--criterion label_smoothed_cross_entropy_with_lookahead``: heads that look ahead."""

import math
from dataclasses import dataclass, field

from fairseq.criterions import register_criterion
from fairseq.criterions.label_smoothed_cross_entropy import (
    LabelSmoothedCrossEntropyCriterion,
    LabelSmoothedCrossEntropyCriterionConfig,
    label_smoothed_nll_loss,
)
from fairseq.logging import metrics

#: weight of a head beside the one before it
DECAY = 0.8


@dataclass
class LookaheadCriterionConfig(LabelSmoothedCrossEntropyCriterionConfig):
    """fairseq's options, and the weight of what looks ahead."""

    lookahead_weight: float = field(
        default=0.2,
        metadata={"help": "weight of lookahead head j in the loss: this times 0.8^j"},
    )


@register_criterion(
    "label_smoothed_cross_entropy_with_lookahead", dataclass=LookaheadCriterionConfig
)
class LookaheadCriterion(LabelSmoothedCrossEntropyCriterion):
    """fairseq's loss, plus those of the heads that look ahead.

    ``loss + w sum_j 0.8^j loss_j``, j = 1..K; loss_j is that of head j on the symbol j
    places behind the next one, where there is one. Logs ``lookahead_loss``, the weighted
    sum, and how often each head is right, in percent: ``lookahead_accuracy_1`` ...

    Args:
        lookahead_weight (float): w.
        others: as of fairseq's criterion.

    Source: Cai et al. 2024, *Medusa*, section 2.2.
    """

    trains_lookahead = True

    # fairseq goes by the names of the arguments.
    def __init__(
        self,
        task,
        sentence_avg,
        label_smoothing,
        lookahead_weight,
        ignore_prefix_size=0,
        report_accuracy=False,
    ):
        super().__init__(
            task, sentence_avg, label_smoothing, ignore_prefix_size, report_accuracy
        )
        if not lookahead_weight > 0:
            raise ValueError(f"--lookahead-weight {lookahead_weight:g} must be above 0")
        self.lookahead_weight = lookahead_weight
        self._log = {}

    def forward(self, model, sample, reduce=True):
        """As in fairseq.

        Raises:
            ValueError: the model has no heads.
        """
        loss, sample_size, log = super().forward(model, sample, reduce)
        return loss, sample_size, {**log, **self._log}

    def compute_loss(self, model, net_output, sample, reduce=True):
        """As in fairseq, the loss with that of the heads."""
        ahead = net_output[1].get("lookahead")
        if ahead is None:
            raise ValueError(
                "--criterion label_smoothed_cross_entropy_with_lookahead is for models "
                "with heads that look ahead: add --lookahead-heads 4"
            )
        loss, nll_loss = super().compute_loss(model, net_output, sample, reduce)
        target, weighted, self._log = sample["target"], 0.0, {}
        for j, states in enumerate(ahead.unbind(2), start=1):
            own = self._head_loss(model, states[:, :-j], target[:, j:], j)
            weighted = weighted + self.lookahead_weight * DECAY**j * own
        self._log["lookahead_loss"] = weighted.detach()
        return loss + (weighted if reduce else 0.0), nll_loss

    def _head_loss(self, model, states, target, j):
        """Float[] of states Float[B, T', D] and targets Long[B, T']; counts are logged."""
        # Where no sentence is so long the head still has a part in the graph.
        logits = model.decoder.output_layer(states)
        log_probs = model.get_normalized_probs((logits, None), log_probs=True)
        found, wanted = log_probs.flatten(0, 1), target.flatten()
        real = wanted.ne(self.padding_idx)
        right = (found.argmax(-1).eq(wanted) & real).sum() if len(wanted) else real.sum()
        self._log[f"_lookahead_right_{j}"], self._log[f"_lookahead_of_{j}"] = (
            right,
            real.sum(),
        )
        loss, _ = label_smoothed_nll_loss(
            found, wanted, self.eps, ignore_index=self.padding_idx
        )
        return loss

    @classmethod
    def reduce_metrics(cls, logging_outputs):
        """As in fairseq, and what is said of the heads."""
        super().reduce_metrics(logging_outputs)

        def total(key):
            return float(sum(log.get(key, 0) for log in logging_outputs))

        size, j = total("sample_size"), 1
        loss = total("lookahead_loss") / size / math.log(2)
        metrics.log_scalar("lookahead_loss", loss, size, round=3)
        while any(f"_lookahead_of_{j}" in log for log in logging_outputs):
            count = total(f"_lookahead_of_{j}")
            if count:
                right = 100 * total(f"_lookahead_right_{j}") / count
                metrics.log_scalar(f"lookahead_accuracy_{j}", right, count, round=2)
            j += 1
