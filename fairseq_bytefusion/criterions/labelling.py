"""What the criterions of tagging and classification share."""

import functools
import math
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F
from fairseq.criterions import FairseqCriterion
from fairseq.dataclass import FairseqDataclass
from fairseq.logging import metrics

from ..evaluation.labelling_scores import count_labels, scores_from_confusion

# Keys of the logging outputs of validation.
CONFUSION = "_confusion"


@dataclass
class LabellingCriterionConfig(FairseqDataclass):
    """How labels are smoothed and weighted."""

    label_smoothing: float = field(
        default=0.0,
        metadata={"help": "share of the target that all labels have alike"},
    )
    class_weights: str = field(
        default="none",
        metadata={
            "help": "weights of labels in the loss: none; balanced, each label as if it "
            "were as frequent as any other; or such as O=0.2,B-DATE=3, 1 for all others"
        },
    )


class LabellingCriterion(FairseqCriterion):
    """Cross-entropy of labels, per label that training knows.

    Validation also logs accuracy, and precision, recall and F1 as macro, micro and
    weighted averages, in percent: those of
    :func:`~..evaluation.labelling_scores.scores_from_confusion`.

    Args:
        task (LabellingTask): gives ``labels`` and ``label_counts``.
        label_smoothing (float)
        class_weights (str)

    Raises:
        ValueError: a smoothing that is none, or weights that are none.
    """

    def __init__(self, task, label_smoothing, class_weights):
        super().__init__(task)
        if not 0 <= label_smoothing < 1:
            raise ValueError(
                f"--label-smoothing {label_smoothing:g} must be at least 0 and below 1"
            )
        self.label_smoothing = label_smoothing
        weights = parse_weights(class_weights, task.labels, task.label_counts)
        self.register_buffer("weights", weights, persistent=False)

    def forward(self, model, sample, reduce=True):
        """The loss of a batch.

        Args:
            model (LabellingModel)
            sample (dict): see ``data.LabelledDataset``.
            reduce (bool): sum over the labels.

        Returns:
            tuple: loss Float[] (Float[N] without ``reduce``), number of labels, sums to
            log.
        """
        output, target = model(**sample["net_input"]), sample["target"]
        losses, plain, size = self.losses(model, output, target)
        log = {
            "loss": losses.detach().sum(),
            "ntokens": sample["ntokens"],
            "nsentences": len(sample["id"]),
            "sample_size": size,
        }
        if self.label_smoothing or self.weights is not None:
            log["nll_loss"] = plain.detach().sum()
        if not model.training:
            log.update(self.quality(model.decode(output), target))
        return (losses.sum() if reduce else losses), size, log

    def losses(self, model, output, target):
        """Losses Float[N], those without smoothing and weights Float[N], and the number of
        labels they are of: what training does not know has none."""
        known = (target >= 0) & (target < len(self.task.labels))
        found = model.log_probabilities(output)[known]
        losses, plain = label_losses(
            found, target[known], self.label_smoothing, self.weights
        )
        return losses, plain, int(known.sum())

    def quality(self, predicted, target):
        """dict of str to Long[(L + 1) * L]: what scores are made of."""
        num_labels = len(self.task.labels)
        gold = target.clamp(max=num_labels)
        confusion = count_labels(gold, predicted.clamp(min=0), num_labels)
        return {CONFUSION: confusion.flatten()}

    @classmethod
    def reduce_metrics(cls, logging_outputs):
        """Means over the labels of all batches and workers, and scores of all counts."""
        size = float(sum(log["sample_size"] for log in logging_outputs))
        for name in ("loss", "nll_loss"):
            totals = [float(log[name]) for log in logging_outputs if name in log]
            if size and totals:  # in bits, as fairseq's criterions log it
                metrics.log_scalar(name, sum(totals) / size / math.log(2), size, round=3)
        counts = summed(logging_outputs, CONFUSION)
        if counts is None:
            return
        metrics.log_scalar(CONFUSION, counts)
        for name in scores_from_confusion(_matrix(counts)):
            metrics.log_derived(name, functools.partial(_score, name))

    @staticmethod
    def logging_outputs_can_be_summed():
        """bool: they are sums."""
        return True


def _matrix(counts):
    """float64[L + 1, L]: the matrix that ``counts`` (float64[(L + 1) * L]) lay in."""
    num_labels = math.isqrt(len(counts))
    return counts.reshape(num_labels + 1, num_labels)


def _score(name, meters):
    """float: a score of the labels of a whole validation."""
    return round(scores_from_confusion(_matrix(meters[CONFUSION].sum))[name], 2)


def summed(logging_outputs, key):
    """float64[N]: the counts of all outputs that have them; None without."""
    counts = [log[key] for log in logging_outputs if key in log]
    return np.asarray(sum(counts).cpu(), np.float64) if counts else None


def label_losses(log_probabilities, target, smoothing=0.0, weights=None):
    """Cross-entropy of labels, smoothed and weighted.

    ``w_y ((1 - e) (-log p_y) + e mean_l (-log p_l))``

    Args:
        log_probabilities (Float[N, L])
        target (Long[N])
        smoothing (float): e.
        weights (Float[L], optional): w.

    Returns:
        tuple: Float[N] and, without smoothing and weights, Float[N].

    Source: Szegedy et al. 2016, section 7.
    """
    losses = plain = F.nll_loss(log_probabilities, target, reduction="none")
    if smoothing:
        losses = (1 - smoothing) * plain - smoothing * log_probabilities.mean(-1)
    if weights is not None:
        losses = weights.to(losses)[target] * losses
    return losses, plain


def parse_weights(text, labels, counts):
    """``--class-weights``.

    ``balanced`` gives label l the weight N / (L n_l): of the training data the mean is 1.

    Args:
        text (str)
        labels (list of str): L of them.
        counts (list of int): n_l, how often each is in the training data.

    Returns:
        Float[L], or None for ``none``.

    Raises:
        ValueError: no such label, one twice, or no positive number.
    """
    if text == "none":
        return None
    if text == "balanced":
        counts = torch.tensor(counts, dtype=torch.float)
        return counts.sum() / (len(counts) * counts)
    weights, seen = torch.ones(len(labels)), set()
    for part in text.split(","):
        label, _, number = part.rpartition("=")
        if label not in labels:
            raise ValueError(
                f"--class-weights {text}: {label or part!r} is no label of the training "
                "data: write it as none, balanced or LABEL=WEIGHT,LABEL=WEIGHT"
            )
        if label in seen:
            raise ValueError(f"--class-weights {text}: {label} is there twice: drop one")
        seen.add(label)
        try:
            weights[labels.index(label)] = float(number)
        except ValueError:
            raise ValueError(f"--class-weights {text}: {number!r} is no number") from None
    if not (weights.isfinite().all() and weights.ge(0).all() and weights.sum() > 0):
        raise ValueError(
            f"--class-weights {text}: weights must be numbers from 0 on, not all 0"
        )
    return weights
