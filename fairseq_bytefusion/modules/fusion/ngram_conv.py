"""nCF: n-gram convolutional fusion."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from ..term_shares import add_term
from .kernel_list import parse_sizes

#: what the weight of window size n, and its share in F, are logged as, before n
LAMBDA, SHARE = "ncf_lambda_", "ncf_share_"


class NgramConvolution(nn.Module):
    """A weighted sum of n-gram representations, one a kernel size.

    Each window of n tokens becomes one vector, which all its n tokens get::

        tokens      a b c d e f g
        n = 2       A A B B C C D       window D is (g, zeros)
        n = 3       A A A B B B C

    Windows start at the first real token of a sentence, wherever its padding is, and
    padding counts as zeros: the result does not depend on the batch.

    It starts with F as large as S: see :func:`start_scale`.

    A weight alone does not tell what its n-grams matter, for it multiplies an unnormalised
    convolution: with (lambda, W) replaced by (c lambda, W/c) nothing changes. What does
    tell is the standard deviation of lambda_n F^n on real data, which is measured as the
    share of a term (:mod:`..term_shares`).

    Args:
        dim (int): D.
        kernels (sequence of int): window sizes n, each at least 1.
        weights (str): ``free``, one free scalar a kernel, or ``softmax``, convex.
        unigram (str): what n = 1 contributes, ``conv`` as in the paper or ``identity``
            as in its published code.

    Raises:
        ValueError: no kernels, repeated ones, or one below 1.

    Source: Sreedhar et al. 2023, *Local Byte Fusion*, equations 3-7.
    """

    place = "between"
    needs_symbols = True
    #: what :mod:`..term_shares` sums of each n, while it does
    term_sums = None

    def __init__(self, dim, kernels=(1, 2, 3, 4), weights="free", unigram="conv"):
        super().__init__()
        check_kernels(kernels)
        self.kernels = list(kernels)
        self.softmax = weights == "softmax"
        # A convolution of kernel n and stride n is a product with n*D inputs.
        self.convs = nn.ModuleDict(
            {str(n): nn.Linear(n * dim, dim) for n in kernels if n > 1 or unigram == "conv"}
        )
        start = 0.0 if self.softmax else len(kernels) ** -0.5
        self.weights = nn.Parameter(torch.full((len(kernels),), start))
        for conv in self.convs.values():
            scale = start_scale(len(kernels), len(self.convs), self.softmax)
            nn.init.normal_(conv.weight, std=scale * conv.in_features**-0.5)
            nn.init.zeros_(conv.bias)

    @classmethod
    def build(cls, options, dictionary, make_layer):
        """From ``encoder_embed_dim``, ``ncf_kernels``, ``ncf_weights``, ``ncf_unigram``."""
        return cls(
            options.encoder_embed_dim,
            parse_kernels(options.ncf_kernels),
            options.ncf_weights,
            options.ncf_unigram,
        )

    @staticmethod
    def default_layers(num_layers):
        """int: how many layers come before it, unless told otherwise: two thirds."""
        return round(2 * num_layers / 3)

    def lambdas(self):
        """Float[K]: the weight of each kernel, lambda in equation 7."""
        return self.weights.softmax(0) if self.softmax else self.weights

    def named_scalars(self):
        """dict of str to float: the weight of each window size, ``ncf_lambda_1`` ..."""
        return {f"{LAMBDA}{n}": w for n, w in zip(self.kernels, self.lambdas().tolist())}

    @staticmethod
    def scalar_label(name):
        """str: what a person calls one of :meth:`named_scalars`."""
        return f"lambda of {name[len(LAMBDA) :]}-grams"

    def forward(self, states, tokens, padding_mask):
        """
        Args:
            states (Float[B, T, D])
            tokens (Long[B, T]): not needed; part of the contract.
            padding_mask (Bool[B, T]): True at padding, on either side.

        Returns:
            Float[B, T, D]
        """
        states = states.masked_fill(padding_mask.unsqueeze(-1), 0.0)
        leading = padding_mask.long().cumprod(1).sum(1)
        if not leading.any():
            return self._fuse(states, padding_mask)
        rolled_mask = _rolled(padding_mask.unsqueeze(-1), leading).squeeze(-1)
        fused = self._fuse(_rolled(states, leading), rolled_mask)
        return _rolled(fused, -leading)

    def _fuse(self, x, padding_mask):
        total = torch.zeros_like(x)
        for n, weight in zip(self.kernels, self.lambdas()):
            term = self._term(x, n, weight)
            if self.term_sums is not None:
                add_term(self.term_sums, f"{SHARE}{n}", term[~padding_mask])
            total = total + term
        return total

    def _term(self, x, n, weight):
        """Float[B, T, D]: lambda_n F^n."""
        if str(n) not in self.convs:
            return weight * x
        length = x.shape[1]
        windows = F.pad(x, (0, 0, 0, -length % n)).unflatten(1, (-1, n)).flatten(2)
        ngrams = weight * self.convs[str(n)](windows)
        return ngrams.repeat_interleave(n, 1)[:, :length]


def start_scale(num_sizes, num_convolutions, convex):
    """How large a new convolution's weights are for F to have the variance of S.

    K sizes begin with the same lambda, 1/sqrt(K) if free and 1/K if convex. A convolution
    of nD inputs and weights N(0, s²/(nD)) gives s² times the variance of S, the identity
    gives it as it is, and no two of them are correlated. So with C convolutions F has
    lambda² (C s² + K - C) times the variance of S, which is 1 times for
    s² = (1/lambda² - (K - C)) / C: s is 1 for free weights, sqrt(K) for convex ones and
    sqrt(K + 1) for convex ones with an identity among them.

    A linear layer's usual start, variance 1/(3nD), and lambda 1/4 left F with 0.29 of the
    standard deviation of S: the deep layers of a pre-norm encoder saw a faded residual.

    Args:
        num_sizes (int): K.
        num_convolutions (int): C, from 1 on; K, or K - 1 with an identity.
        convex (bool)

    Returns:
        float: s.
    """
    inverse_square = num_sizes**2 if convex else num_sizes
    num_identities = num_sizes - num_convolutions
    return ((inverse_square - num_identities) / num_convolutions) ** 0.5


def check_kernels(kernels):
    """Raise ValueError where ``kernels`` (sequence of int) cannot be window sizes."""
    if not kernels or min(kernels) < 1 or len(set(kernels)) < len(kernels):
        raise ValueError("window sizes must be different whole numbers from 1 on")


def parse_kernels(text):
    """``"1,2,3"`` to ``[1, 2, 3]``; ValueError where those are not window sizes."""
    kernels = parse_sizes(text)
    check_kernels(kernels)
    return kernels


def _rolled(x, shift):
    """Row b of ``x`` (Float[B, T, D]) rolled to the left by ``shift[b]`` (Long[B])."""
    columns = torch.arange(x.shape[1], device=x.device) + shift.unsqueeze(1)
    columns = columns.remainder(x.shape[1]).unsqueeze(-1).expand_as(x)
    return x.gather(1, columns)
