"""Recall of the words of a test set that training has not seen."""

from collections import Counter

import numpy as np
from sacrebleu.metrics import BLEU

_tokenize = BLEU(tokenize="13a").tokenizer


def words(line):
    """Words of a sentence: what white space separates after SacreBLEU's 13a."""
    return _tokenize(line).split()


def unseen_recall(hypotheses, references, seen):
    """How many of the words that are not ``seen`` each translation has.

    A word counts as often as it stands in the reference, and is found at most as often as
    it stands in the translation of that sentence.

    Args:
        hypotheses, references (list of str): N of each.
        seen (set of str): words of the training data.

    Returns:
        tuple: int64[N] of words found, int64[N] of words in all.
    """
    found, total = [], []
    for hypothesis, reference in zip(hypotheses, references):
        wanted = Counter(word for word in words(reference) if word not in seen)
        found.append(sum((wanted & Counter(words(hypothesis))).values()))
        total.append(sum(wanted.values()))
    return np.array(found, np.int64), np.array(total, np.int64)
