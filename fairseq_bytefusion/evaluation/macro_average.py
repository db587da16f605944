"""The mean of a score over test sets (one a language, say), and its significance."""

import numpy as np
from sacrebleu.significance import estimate_ci

from .resampling import draw_sentences, p_value, resampled_scores
from .scoring import build_metrics, score_systems


def score_test_sets(test_sets, averaged, num_bootstrap=1000):
    """Scores of the same systems on several test sets, and their mean.

    The bootstrap of the mean resamples every test set and compares the means of the
    scores; its p-value is that of SacreBLEU's paired bootstrap, which it equals for one
    test set. Sets of one size share their draws, as parallel test sets should.

    Args:
        test_sets (dict): name -> (list of System, list of str references); the systems
            of every set have the same names in the same order, the first is the baseline.
        averaged (list of str): names of the sets that count in the mean.
        num_bootstrap (int): resamplings.

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
        name: score_systems(systems, references, num_bootstrap)
        for name, (systems, references) in test_sets.items()
    }
    names = [system.name for system in next(iter(test_sets.values()))[0]]
    average = [{"system": name} for name in names]
    for metric in ("BLEU", "chrF2"):
        for k, row in enumerate(average):
            scores = [sets[name][k][metric] for name in averaged]
            row[metric] = {
                "score": float(np.mean([score["score"] for score in scores])),
                "signature": f"mean of {len(scores)} test sets: {scores[0]['signature']}",
            }
        if len(names) > 1:
            chosen = [test_sets[name] for name in averaged]
            _add_significance(average, chosen, metric, num_bootstrap)
    return {"sets": sets, "averaged": list(averaged), "average": average}


def _add_significance(average, test_sets, metric_name, num_bootstrap):
    """Add mean, ci and p_value to rows of one metric."""
    resampled = np.mean(
        [
            _resampled_scores(systems, references, metric_name, num_bootstrap)
            for systems, references in test_sets
        ],
        axis=0,
    )
    baseline = average[0][metric_name]["score"]
    for k, row in enumerate(average):
        score = row[metric_name]
        score["mean"], score["ci"] = map(float, estimate_ci(resampled[k]))
        if k:
            difference = score["score"] - baseline
            score["p_value"] = p_value(resampled[k] - resampled[0], difference)


def _resampled_scores(systems, references, metric_name, num_bootstrap):
    """float64[systems, num_bootstrap]: scores of resamples, the same for every system."""
    metric = build_metrics(references)[metric_name]
    chosen = draw_sentences(len(references), num_bootstrap)
    return np.array([resampled_scores(metric, s.hypotheses, chosen) for s in systems])
