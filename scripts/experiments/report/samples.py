"""Scores of a system on a test set, and on its resamples."""

import numpy as np
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.significance import estimate_ci

from fairseq_bytefusion.evaluation.metrics import build_metrics
from fairseq_bytefusion.evaluation.resampling import (
    draw_sentences,
    p_value,
    resampled_ratios,
    resampled_scores,
)
from fairseq_bytefusion.evaluation.unseen_words import unseen_recall

from .metrics import BITS, METRICS, ROUGE, UNSEEN


class Sampler:
    """Scores systems on one test set. Resamples are the same for all of them.

    Args:
        references (list of str)
        seen (set of str): words of the training data.
        num_bootstrap (int): resamples.
    """

    def __init__(self, references, seen, num_bootstrap):
        self.references, self.seen = references, seen
        self.metrics = build_metrics(references)
        self.chosen = draw_sentences(len(references), num_bootstrap)

    def resampled(self, hypotheses, bits, sizes):
        """Scores of a system on the resamples.

        Args:
            hypotheses (list of str): N translations.
            bits (float64[N]), sizes (int64[N]): see :func:`~.reference_bits`.

        Returns:
            tuple: name of a metric -> float64[R], and name of a metric that SacreBLEU has
            not -> cell, as ``bytefusion score`` gives them.
        """
        found = {
            name: resampled_scores(metric, hypotheses, self.chosen)
            for name, metric in self.metrics.items()
        }
        hits, words = unseen_recall(hypotheses, self.references, self.seen)
        cells = {}
        rouge = rouge_l(hypotheses, self.references)
        for name, parts, wholes in (
            (ROUGE, rouge, np.ones_like(rouge)),
            (BITS, bits, sizes),
            (UNSEEN, 100 * hits, words),
        ):
            found[name] = resampled_ratios(parts, wholes, self.chosen)
            total = wholes.sum()
            cells[name] = {
                "score": float(parts.sum() / total) if total else None,
                "signature": f"{METRICS[name].signature}|bs:{len(self.chosen)}",
                **spread(found[name]),
            }
        return found, cells


def rouge_l(hypotheses, references):
    """float64[N]: ROUGE-L of each sentence, F1 in percent.

    Args:
        hypotheses, references (list of str)

    Source: Lin 2004, *ROUGE: A Package for Automatic Evaluation of Summaries*, section 3.
    """
    scorer = RougeScorer(["rougeL"])
    found = map(scorer.score, references, hypotheses)
    return np.array([100 * scores["rougeL"].fmeasure for scores in found])


def mean_of(sides):
    """The mean of several test sets; one without a score does not count.

    Args:
        sides (list of tuple): cell, and float64[R], its score on resamples.

    Returns:
        tuple: such a cell, and float64[R].
    """
    known = [side for side in sides if side[0]["score"] is not None] or sides[:1]
    resampled = np.mean([values for _, values in known], axis=0)
    scores = [cell["score"] for cell, _ in known]
    cell = {
        "score": None if None in scores else float(np.mean(scores)),
        "signature": f"mean of {len(known)} test sets: {known[0][0]['signature']}",
        **spread(resampled),
    }
    return cell, resampled


def spread(resampled):
    """Mean and 95% confidence interval of resamples, float64[R], as SacreBLEU's."""
    known = resampled[np.isfinite(resampled)]
    if not len(known):
        return {}
    mean, ci = estimate_ci(known)
    return {"mean": float(mean), "ci": float(ci)}


def difference(first, second):
    """Whether two systems differ, by the paired bootstrap.

    Args:
        first, second (tuple): cell, and float64[R], its score on resamples.

    Returns:
        float: the p-value; None where a score is missing, or both are equal and resamples
        mean nothing.
    """
    (cell, resampled), (other, others) = first, second
    if None in (cell["score"], other["score"]) or cell["score"] == other["score"]:
        return None
    differences = resampled - others
    known = differences[np.isfinite(differences)]
    return p_value(known, cell["score"] - other["score"])
