"""What the criterions of tagging and classification share."""

import numpy as np
import torch.nn.functional as F
from fairseq.logging import metrics


def label_losses(log_probabilities, target, smoothing=0.0, weights=None):
    """Cross-entropy of labels, smoothed and weighted.

    ``w_y ((1 - e) (-log p_y) + e mean_l (-log p_l))``

    Args:
        log_probabilities (Float[N, L])
        target (Long[N])
        smoothing (float): e.
        weights (Float[L], optional): w.

    Returns:
        tuple: Float[N] and, without smoothing and weights, Float[N].

    Source: Szegedy et al. 2016, section 7.
    """
    nll = F.nll_loss(log_probabilities, target, reduction="none")
    loss = nll
    if smoothing:
        loss = (1 - smoothing) * nll - smoothing * log_probabilities.mean(-1)
    if weights is not None:
        loss = weights.to(loss)[target] * loss
    return loss, nll
