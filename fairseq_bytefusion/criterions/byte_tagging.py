"""``--criterion byte_tagging``: the labels of words."""

import functools

import torch
from fairseq.criterions import register_criterion
from fairseq.logging import metrics

from ..evaluation.spans import is_bio, span_counts, span_scores
from .labelling import LabellingCriterion, LabellingCriterionConfig, summed

SPANS = "_spans"


@register_criterion("byte_tagging", dataclass=LabellingCriterionConfig)
class ByteTaggingCriterion(LabellingCriterion):
    """Cross-entropy a word, or the negative log-likelihood of a conditional random field.

    The latter is that of the sentences all of whose labels training knows, divided by
    their words. Where labels are those of spans (BIO), validation logs ``span_f1``,
    ``span_precision`` and ``span_recall`` as well, by conlleval's rules.
    """

    def losses(self, model, output, target):
        """As of the base class; Float[B] for a conditional random field."""
        if model.head.is_local:
            return super().losses(model, output, target)
        for flag, given in (
            ("--label-smoothing", self.label_smoothing),
            ("--class-weights", self.weights is not None),
        ):
            if given:
                raise ValueError(
                    f"{flag} is of single labels, and --tag-decoder crf has the "
                    "probability of all labels of a sentence: drop either"
                )
        known = target.lt(len(self.task.labels)).all(1)
        is_word = output["is_word"] & known.unsqueeze(1)
        losses = model.head.losses(output["scores"], is_word, target)
        return losses, losses, int(is_word.sum())

    def quality(self, predicted, target):
        """As of the base class, and Long[3], counts of spans."""
        log = super().quality(predicted, target)
        if is_bio(self.task.labels):
            counts = [
                span_counts(
                    *(
                        [self.task.label_name(i) for i in row[gold.ge(0)].tolist()]
                        for row in (gold, found)
                    )
                )
                for gold, found in zip(target, predicted)
            ]
            log[SPANS] = torch.tensor(counts).sum(0).to(target.device)
        return log

    @classmethod
    def reduce_metrics(cls, logging_outputs):
        """As of the base class, and scores of spans."""
        super().reduce_metrics(logging_outputs)
        counts = summed(logging_outputs, SPANS)
        if counts is None:
            return
        metrics.log_scalar(SPANS, counts)
        for name in span_scores(counts):
            metrics.log_derived(name, functools.partial(_score, name))


def _score(name, meters):
    """float: a score of the spans of a whole validation."""
    return round(float(span_scores(meters[SPANS].sum)[name]), 2)
