"""Accuracy, precision, recall and F1 of labels, from counts that can be added."""

import numpy as np
import torch


def count_labels(gold, predicted, num_labels):
    """The confusion matrix: how often a label was taken for another.

    Matrices of batches, workers and files are added.

    Args:
        gold (Tensor): Long[...]; id ``num_labels`` stands for a label that training
            lacks, which no prediction meets; a negative id, for none, is not counted.
        predicted (Tensor): Long of the same shape, below ``num_labels``.
        num_labels (int): L

    Returns:
        Tensor: Long[L + 1, L], a row a gold label, a column a predicted one.
    """
    counted = gold >= 0
    cells = gold[counted] * num_labels + predicted[counted]
    size = (num_labels + 1) * num_labels
    return torch.bincount(cells, minlength=size).view(num_labels + 1, num_labels)


def scores_from_confusion(confusion):
    """Scores over all labels, in percent.

    Macro is the mean over the labels that are gold or predicted, weighted the same with
    a label's gold count as its weight, micro that of all decisions alike, which all three
    equal the accuracy. All labels that training lacks count as one, which is never right.

    Args:
        confusion (Tensor or ndarray): Long[L + 1, L], see :func:`count_labels`.

    Returns:
        dict: ``accuracy``, ``macro_precision``, ``macro_recall``, ``macro_f1``, likewise
        ``micro_`` and ``weighted_`` -> float; all 0 where nothing was counted.

    Source: scikit-learn's precision_recall_fscore_support, with 0 for 0 / 0.
    """
    by_label = scores_by_label(confusion)
    counted = (by_label["support"] + by_label["predicted"]) > 0
    support = by_label["support"]
    accuracy = float(_divide(100 * by_label["correct"].sum(), support.sum()))
    scores = {"accuracy": accuracy}
    for name in ("precision", "recall", "f1"):
        values = by_label[name]
        scores[f"macro_{name}"] = float(_divide(values[counted].sum(), counted.sum()))
        scores[f"micro_{name}"] = accuracy
        scores[f"weighted_{name}"] = float(_divide((values * support).sum(), support.sum()))
    return scores


def scores_by_label(confusion):
    """Scores of each label, in percent.

    Args:
        confusion (Tensor or ndarray): Long[L + 1, L], see :func:`count_labels`.

    Returns:
        dict: ``precision``, ``recall``, ``f1`` -> float64[L + 1]; ``correct``,
        ``predicted``, ``support`` (gold) -> int64[L + 1]. The last entry is that of labels
        that training lacks.
    """
    counts = np.asarray(confusion).astype(np.int64)
    correct = np.append(np.diagonal(counts), 0)
    predicted = np.append(counts.sum(0), 0)
    support = counts.sum(1)
    return {
        "precision": _divide(100 * correct, predicted),
        "recall": _divide(100 * correct, support),
        "f1": _divide(200 * correct, predicted + support),
        "correct": correct,
        "predicted": predicted,
        "support": support,
    }


def _divide(numerator, denominator):
    return numerator / np.maximum(denominator, 1)
