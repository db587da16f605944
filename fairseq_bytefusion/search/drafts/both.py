"""Drafts of heads that look ahead, gone on with by n-grams."""

import torch

from .heads import HeadsDraft
from .ngram import NgramDraft


class BothDraft:
    """The heads, and behind what they foresee the n-grams.

    Args:
        heads (HeadsDraft), ngram (NgramDraft)
    """

    def __init__(self, heads, ngram):
        self.heads, self.ngram = heads, ngram

    @classmethod
    def build(cls, options, dictionary, models):
        """Of both; see there for errors."""
        given = options, dictionary, models
        return cls(HeadsDraft.build(*given), NgramDraft.build(*given))

    def propose(self, states, tokens, lengths, k):
        """See :mod:`~fairseq_bytefusion.search.drafts`."""
        first = self.heads.propose(states, tokens, lengths, k)
        count = first.shape[1]
        if count == k:
            return first
        # Room for what the heads foresee behind the longest row.
        text = torch.cat([tokens, first], 1)
        places = lengths[:, None] + torch.arange(count, device=lengths.device)
        text.scatter_(1, places, first)
        rest = self.ngram.propose(states, text, lengths + count, k - count)
        return torch.cat([first, rest], 1)
