"""``--criterion byte_classification``: the labels of sentences."""

from fairseq.criterions import register_criterion

from .labelling import LabellingCriterion, LabellingCriterionConfig


@register_criterion("byte_classification", dataclass=LabellingCriterionConfig)
class ByteClassificationCriterion(LabellingCriterion):
    """Cross-entropy a sentence."""
