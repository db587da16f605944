"""Which keys a query sees, and which states are neighbours.

A geometry has ``attend(branch, query, memory, need_weights=False)``, which projects, calls
the branch's kernel and projects what comes out (see :meth:`Branch.forward` for shapes), and
``of_branch(index)``, the geometry as one of several branches sees it; those of encoders and
decoders have ``neighbours(x, before, after)`` too::

    full          causal        full, key c is padding      word-local, "ab c"
      a b c         a b c         a b c                       a b c
    a x x x       a x . .       a x x .                     a x x .
    b x x x       b x x .       b x x .                     b x x .
    c x x x       c x x x       c x x .                     c . . x

Here are those of whole sequences. Of words is :class:`~..word_local.WordLocal`, of a search
are :mod:`..decoding.cached_attention`'s.
"""

import torch.nn.functional as F


class Full:
    """A query sees every key of its sentence, or those that ``allowed`` marks.

    Args:
        allowed (Bool, broadcastable to [B, H, T, S], optional): True where a query may
            look; every row needs one True.
        padding_mask (Bool[B, T], optional): True at padding, whose states are nobody's
            neighbours.
    """

    causal = False

    def __init__(self, allowed=None, padding_mask=None):
        self.allowed = allowed
        self.padding_mask = padding_mask

    def of_branch(self, index):
        """All branches see the same."""
        return self

    def attend(self, branch, query, memory, need_weights=False):
        """Attention of ``query`` (Float[B, T, D]) over ``memory`` (Float[B, S, K])."""
        q, k, v = map(branch.split_heads, branch.project(query, memory))
        x, weights = branch.attend(q, k, v, self.allowed, self.causal, need_weights)
        return branch.out_proj(x.transpose(1, 2).flatten(2)), weights

    def neighbours(self, x, before, after):
        """States with those around them: what a convolution slides over.

        Args:
            x (Float[B, T, D])
            before, after (int): how many are added at both ends, zeros here.

        Returns:
            Float[B, before + T + after, D]: windows of ``before + 1 + after``, in order,
            are those of the states of ``x``; zeros at padding.
        """
        if self.padding_mask is not None:
            x = x.masked_fill(self.padding_mask.unsqueeze(-1), 0.0)
        return F.pad(x, (0, 0, before, after))


class Causal(Full):
    """A query at position t sees keys 0..t."""

    causal = True

    def __init__(self):
        super().__init__()
