"""The mean of a score over test sets (one a language, say), and its significance."""

import numpy as np
from sacrebleu.significance import estimate_ci

from .metrics import DEFAULT_METRICS, build_metrics
from .resampling import draw_sentences, p_value, resampled_scores
from .scoring import score_systems


def score_test_sets(
    test_sets,
    averaged,
    num_bootstrap=1000,
    metrics=DEFAULT_METRICS,
    tokenize=None,
    confidence=False,
):
    """Scores of the same systems on several test sets, and their mean.

    The bootstrap of the mean resamples every test set and compares the means of the
    scores; its p-value is that of SacreBLEU's paired bootstrap, which it equals for one
    test set. Sets of one size share their draws, as parallel test sets should.

    Args:
        test_sets (dict): name -> (list of System, references); the systems of every set
            have the same names in the same order, the first is the baseline.
        averaged (list of str): names of the sets that count in the mean.
        num_bootstrap, metrics, tokenize, confidence: see :func:`score_systems`, as for
            the references.

    Returns:
        dict: ``sets``, name -> rows of :func:`score_systems`; ``averaged``, as given;
        ``average``, such rows without ``text``.

    Raises:
        ValueError: see :func:`score_systems`; an unknown name.
    """
    for name in averaged:
        if name not in test_sets:
            raise ValueError(
                f"there is no test set {name!r} to average: choose from "
                f"{', '.join(test_sets)}"
            )
    sets = {
        name: score_systems(
            systems, references, num_bootstrap, metrics, tokenize, confidence
        )
        for name, (systems, references) in test_sets.items()
    }
    average = _mean_rows([sets[name] for name in averaged])
    if len(average) > 1 or confidence:
        chosen = [test_sets[name] for name in averaged]
        _add_significance(average, chosen, num_bootstrap, metrics, tokenize)
    return {"sets": sets, "averaged": list(averaged), "average": average}


def _mean_rows(sets):
    """Rows of the mean of several lists of rows."""
    average = []
    for rows in zip(*sets):
        mean = {"system": rows[0]["system"]}
        for name in rows[0]:
            if name == "system":
                continue
            scores = [row[name] for row in rows]
            mean[name] = {
                "score": float(np.mean([score["score"] for score in scores])),
                "signature": f"mean of {len(scores)} test sets: {scores[0]['signature']}",
            }
        average.append(mean)
    return average


def _add_significance(average, test_sets, num_bootstrap, metrics, tokenize):
    """Add mean, ci and p_value to the rows of the mean."""
    of_sets = [
        _resampled_scores(systems, references, num_bootstrap, metrics, tokenize)
        for systems, references in test_sets
    ]
    for name in of_sets[0]:
        resampled = np.mean([found[name] for found in of_sets], axis=0)
        baseline = average[0][name]["score"]
        for k, row in enumerate(average):
            score = row[name]
            score["mean"], score["ci"] = map(float, estimate_ci(resampled[k]))
            if k:
                difference = score["score"] - baseline
                score["p_value"] = p_value(resampled[k] - resampled[0], difference)


def _resampled_scores(systems, references, num_bootstrap, metrics, tokenize):
    """dict: SacreBLEU's name of a metric -> float64[systems, num_bootstrap], scores of
    resamples, which are the same for every system."""
    chosen = draw_sentences(len(systems[0].hypotheses), num_bootstrap)
    return {
        name: np.array([resampled_scores(metric, s.hypotheses, chosen) for s in systems])
        for name, metric in build_metrics(references, metrics, tokenize).items()
    }
