"""Pairs of sentences of one or several language pairs as a fairseq dataset."""

from ..sided_dataset import SidedDataset


class ParallelDataset(SidedDataset):
    """Sources and targets, or sources alone that are to be translated.

    A batch has the name of its language pair under ``pair``; see :class:`SidedDataset` for
    when, and for the arguments.
    """

    noun, empty_noun = "pair", "an empty side"
    part_key = "pair"
