"""Sentences of one side, with labels or without, as a fairseq dataset."""

import torch
from fairseq.data import data_utils

from ..text.labelled_lines import NO_LABEL
from .sided_dataset import SidedDataset


class SentenceDataset(SidedDataset):
    """Sentences that are encoded, labelled or modelled: there is no other side.

    Args:
        side (Side)
        parts (dict of str to dataset): each language to its sentences as ids, which have
            ``sizes``.
        labels (sequence, optional): of each sentence, part by part: an int, or a Long[L]
            for labels within it, of its symbols or of its words: their batch is as wide as
            the longest needs, whatever buckets make of the symbols.
        **options: see :class:`SidedDataset`.

    Raises:
        ValueError: there are not as many labels as sentences.
    """

    def __init__(self, side, parts, labels=None, **options):
        super().__init__([side], {name: (part,) for name, part in parts.items()}, **options)
        if labels is not None and len(labels) != len(self):
            raise ValueError(
                f"{len(labels)} labels do not fit {len(self)} sentences: there must be one "
                "of each, or one sequence"
            )
        self.labels = labels

    def __getitem__(self, index):
        """dict: ``id``, ``source`` Long[T] and, where there are labels, ``labels``."""
        sample = super().__getitem__(index)
        if self.labels is not None:
            sample["labels"] = torch.as_tensor(self.labels[index])
        return sample

    def collater(self, samples, pad_to_length=None):
        """As in fairseq, with the labels as ``target``.

        Args:
            samples (list of dict)
            pad_to_length (dict, optional): ``source`` to a width of the tokens.

        Returns:
            dict: ``target`` is Long[B], or Long[B, L] padded with ``NO_LABEL`` on the side
            on which the tokens are, or None without labels. ``ntokens`` counts the ids of
            the sentences. Empty without samples.
        """
        batch = super().collater(samples, pad_to_length)
        if batch and self.labels is not None:
            # fairseq has put the longest sentence first.
            labels = {sample["id"]: sample["labels"] for sample in samples}
            rows = [labels[i] for i in batch["id"].tolist()]
            batch["target"] = self._stacked(rows)
        return batch

    def _stacked(self, rows):
        if rows[0].dim() == 0:
            return torch.stack(rows)
        return data_utils.collate_tokens(rows, NO_LABEL, left_pad=self.sides[0].left_pad)
