"""What of SacreBLEU's paired bootstrap it offers to nobody: all of it that we use."""

import numpy as np
from sacrebleu.significance import _compute_p_value


def resampled_scores(metric, hypotheses, chosen):
    """The scores of a system on resamples of a test set.

    Args:
        metric (sacrebleu.metrics.base.Metric): knows the references.
        hypotheses (list of str): N of them.
        chosen (int[R, N]): which sentences each resample consists of.

    Returns:
        float64[R]
    """
    stats = metric._extract_corpus_statistics(hypotheses, None)
    stats = np.array(stats, dtype="float32")
    return np.array(
        [metric._compute_score_from_stats(stats[rows].sum(0)).score for rows in chosen]
    )


def p_value(resampled, observed):
    """How likely a difference of scores is by chance.

    Args:
        resampled (float64[R]): the difference on each resample.
        observed (float): the difference on the test set itself.

    Returns:
        float
    """
    differences = np.abs(resampled)
    return _compute_p_value(differences - differences.mean(), abs(observed))
