"""Attention within words: their geometry, on packed tokens, with no T x T anywhere."""

from dataclasses import dataclass
from typing import List, Tuple

import torch


@dataclass
class WordGroups:
    """The real tokens of a batch, reordered so that equally long blocks lie together.

    Attributes:
        order (Long[N]): positions in the flattened batch (``b * T + t``), block by
            block, shorter blocks first.
        sizes (list of (int, int)): ``(length, number of blocks)``, N tokens in all.
    """

    order: torch.Tensor
    sizes: List[Tuple[int, int]]


def group_words(starts, padding_mask):
    """Sort the blocks of a batch by length.

    The device is waited for a fixed number of times a batch, however many its words.

    Args:
        starts (Bool[B, T]): see :func:`~..text.words.block_starts`.
        padding_mask (Bool[B, T])

    Returns:
        WordGroups
    """
    positions = (~padding_mask).flatten().nonzero().flatten()
    block = starts.flatten()[positions].cumsum(0) - 1
    lengths = torch.bincount(block)
    order = lengths[block].sort(stable=True).indices
    counts = torch.bincount(lengths).tolist()
    sizes = [(length, count) for length, count in enumerate(counts) if count and length]
    return WordGroups(positions[order], sizes)


def group_rows(padding_mask):
    """Sort the rows of a batch, each of them one block, by length.

    Args:
        padding_mask (Bool[U, C]): padding on the right.

    Returns:
        WordGroups
    """
    starts = torch.zeros_like(padding_mask)
    starts[:, 0] = True
    return group_words(starts, padding_mask)


class WordLocal:
    """The geometry of words: a token sees its own block, all of it.

    A batch is Float[N, D], its real tokens in the order of :class:`WordGroups`: each
    length of block is one dense attention, without mask or padding. Any layer that hands
    its geometry on is word-local with this one.

    Args:
        sizes (list of (int, int)): see :class:`WordGroups`.
    """

    def __init__(self, sizes):
        self.sizes = sizes

    def of_branch(self, index):
        """All branches see the same."""
        return self

    def attend(self, branch, query, memory, need_weights=False):
        """Attention of ``query`` (Float[N, D]) over ``memory`` (Float[N, K]), which lies as
        the queries do; no weights."""
        lengths = [length * count for length, count in self.sizes]
        projected = (x.split(lengths) for x in branch.project(query, memory))
        outputs = []
        for (length, count), *group in zip(self.sizes, *projected):
            blocks = (x.unflatten(0, (count, length)) for x in group)
            x, _ = branch.attend(*map(branch.split_heads, blocks))
            outputs.append(x.transpose(1, 2).flatten(2).flatten(0, 1))
        return branch.out_proj(torch.cat(outputs)), None
