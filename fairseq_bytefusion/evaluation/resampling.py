"""What of SacreBLEU's paired bootstrap it offers to nobody: all of it that we use."""

import os

import numpy as np
from sacrebleu.significance import _compute_p_value


def draw_sentences(num_sentences, num_resamples):
    """Which sentences each resample of a test set consists of, equal for equal sizes.

    Args:
        num_sentences, num_resamples (int)

    Returns:
        int[R, N]: drawn with SacreBLEU's seed.
    """
    rng = np.random.default_rng(int(os.environ.get("SACREBLEU_SEED", "12345")))
    size = (num_resamples, num_sentences)
    return rng.choice(num_sentences, size=size, replace=True)


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


def resampled_ratios(parts, wholes, chosen):
    """A sum over sentences divided by another, on resamples of a test set.

    Args:
        parts, wholes (float or int[N]): of each sentence.
        chosen (int[R, N]): see :func:`draw_sentences`.

    Returns:
        float64[R]: NaN where the sum of ``wholes`` is 0.
    """
    with np.errstate(invalid="ignore"):
        return parts[chosen].sum(1) / wholes[chosen].sum(1)


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
