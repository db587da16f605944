"""Every label alone: a linear layer and a softmax."""

import torch.nn as nn


class SoftmaxHead(nn.Linear):
    """Scores of labels.

    Args:
        in_features (int): D.
        out_features (int): labels L.
    """

    #: whether each word has a loss of its own, which can be smoothed and weighted
    is_local = True

    def decode(self, scores, mask):
        """The most probable label.

        Args:
            scores (Float[..., L])
            mask (Bool[...]): not needed.

        Returns:
            Long[...]
        """
        return scores.argmax(-1)

    def log_probabilities(self, scores, mask):
        """
        Args:
            scores (Float[..., L])
            mask (Bool[...]): not needed.

        Returns:
            Float[..., L], in 32 bits.
        """
        return scores.float().log_softmax(-1)
