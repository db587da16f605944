"""Heads: states of words or sentences to labels.

A head has ``forward(states) -> scores``, ``losses(scores, mask, target)``,
``decode(scores, mask)`` and ``log_probabilities(scores, mask)``. What a label has no
business with, ``</s>`` and padding, is False in ``mask``.
"""

from .crf import CRFHead
from .softmax import SoftmaxHead

HEADS = {"softmax": SoftmaxHead, "crf": CRFHead}

__all__ = ["HEADS", "CRFHead", "SoftmaxHead"]
