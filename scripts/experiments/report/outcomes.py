"""What a comparison of two systems says: of one seed, and of all of them."""

from .metrics import METRICS, SIGNIFICANT

BETTER, WORSE, UNCLEAR = 1, -1, 0


def outcome(metric, score, other, p_value):
    """Of one seed.

    Equal scores are unclear: the bootstrap's p-value means nothing where all resamples
    agree.

    Args:
        metric (str)
        score, other (float): of a system, and of the one it is compared with.
        p_value (float, optional): that they differ by chance.

    Returns:
        int: ``BETTER``, ``WORSE`` or ``UNCLEAR``
    """
    if p_value is None or p_value >= SIGNIFICANT or score == other:
        return UNCLEAR
    return BETTER if (score - other) * METRICS[metric].better > 0 else WORSE


def agreed(outcomes):
    """Of all seeds: what every one of them says, and ``UNCLEAR`` where they do not agree.

    Args:
        outcomes (list of int)
    """
    return outcomes[0] if len(set(outcomes)) == 1 else UNCLEAR
