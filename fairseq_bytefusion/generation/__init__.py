"""Translation and labelling from Python."""

from .classifier import ByteClassifier, Classification
from .tagger import ByteTagger, TaggedSentence
from .text_scorer import TextScorer, WordScores
from .translation import Translation
from .translator import ByteTranslator

#: the models that label text
LABELLERS = (ByteTagger, ByteClassifier)

__all__ = [
    "LABELLERS",
    "ByteClassifier",
    "ByteTagger",
    "ByteTranslator",
    "Classification",
    "TaggedSentence",
    "TextScorer",
    "Translation",
    "WordScores",
]
