"""Labels of a sentence together: a linear-chain conditional random field."""

import torch
import torch.nn as nn
from torch.func import functional_call


class CRFHead(nn.Linear):
    """Scores of labels, and a score for each label behind another.

    ``p(y | x)`` is proportional to ``exp(start[y_1] + sum_t s_t[y_t] + sum_t
    A[y_t, y_t+1] + end[y_n])``; transitions are learned by pytorch-crf.

    Args:
        in_features (int): D.
        out_features (int): labels L.

    Raises:
        ValueError: pytorch-crf is not installed.

    Source: Lafferty et al. 2001; Lample et al. 2016, section 2.2.
    """

    is_local = False

    def __init__(self, in_features, out_features):
        super().__init__(in_features, out_features)
        try:
            from torchcrf import CRF
        except ImportError as error:
            raise ValueError(
                "--tag-decoder crf needs the package pytorch-crf: pip install pytorch-crf"
            ) from error
        self.crf = CRF(out_features, batch_first=True)

    def losses(self, scores, mask, target):
        """Negative log-likelihood of the labels of each sentence.

        Args:
            scores (Float[B, S, L])
            mask (Bool[B, S]): True at words, which come first.
            target (Long[B, S]): labels below L where ``mask`` is True.

        Returns:
            Float[B], 0 for a sentence without a word.
        """
        tags = target.masked_fill(~mask, 0)
        likelihoods = self._likelihoods(scores.float(), tags, mask)
        return (-likelihoods).masked_fill(~mask[:, 0], 0.0)

    def decode(self, scores, mask):
        """The most probable sequence of labels, by Viterbi's algorithm.

        Args:
            scores (Float[B, S, L])
            mask (Bool[B, S])

        Returns:
            Long[B, S], 0 where ``mask`` is False.
        """
        labels = torch.zeros(mask.shape, dtype=torch.long, device=mask.device)
        for row, found in zip(labels, self.crf.decode(scores.float(), _from_first(mask))):
            row[: len(found)] = row.new_tensor(found)
        return labels.masked_fill(~mask, 0)

    @torch.enable_grad()
    def log_probabilities(self, scores, mask):
        """Of each label of each word, whatever the others are.

        The derivative of the log-likelihood of any labels y by ``s_t[l]`` is ``[y_t = l]``
        minus the marginal.

        Args:
            scores (Float[B, S, L])
            mask (Bool[B, S])

        Returns:
            Float[B, S, L]
        """
        scores = scores.detach().float().requires_grad_()
        tags = torch.zeros(mask.shape, dtype=torch.long, device=mask.device)
        likelihood = self._likelihoods(scores, tags, mask).sum()
        (gradient,) = torch.autograd.grad(likelihood, scores)
        marginals = nn.functional.one_hot(tags, scores.shape[-1]) - gradient
        return marginals.clamp(min=torch.finfo(marginals.dtype).tiny).log()

    def _likelihoods(self, scores, tags, mask):
        """Float[B], in 32 bits: pytorch-crf adds up in those of its parameters."""
        weights = {name: w.float() for name, w in self.crf.named_parameters()}
        options = {"mask": _from_first(mask), "reduction": "none"}
        return functional_call(self.crf, weights, (scores, tags), options)


def _from_first(mask):
    """``mask`` (Bool[B, S]) with a first word in every row, which pytorch-crf needs."""
    first = torch.zeros_like(mask)
    first[:, :1] = True
    return mask | first
