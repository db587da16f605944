"""What training leaves out, and how much of it."""

import functools
import logging

import numpy as np

logger = logging.getLogger(__name__)


class CountedFiltering:
    """For a task whose data sets are :class:`~...data.sided_dataset.SidedDataset`, of one
    side or two: training drops what is empty or too long and says so."""

    def filter_indices_by_size(
        self, indices, dataset, max_positions=None, ignore_invalid_inputs=False
    ):
        """Drop empty and over-long samples, and say how many of each.

        Args:
            indices (int[N])
            dataset (SidedDataset)
            max_positions (int or tuple of int, optional): most ids of a sentence of each
                side; None for any number.
            ignore_invalid_inputs (bool): as fairseq has it when training, and under
                ``--skip-invalid-size-inputs-valid-test``; otherwise none is dropped.

        Returns:
            int[N']

        Raises:
            ValueError: nothing is left.
        """
        if not ignore_invalid_inputs:
            return indices
        reasons = _reasons(dataset, max_positions)
        dropped = functools.reduce(np.logical_or, reasons.values())[indices]
        rest = indices[dropped]
        for reason, every in reasons.items():
            hit = every[rest]
            if count := hit.sum():
                logger.warning(
                    "%d of %d %ss dropped: %s", count, len(indices), dataset.noun, reason
                )
            rest = rest[~hit]
        if dropped.all():
            flags = ", ".join(side.flag for side in dataset.sides)
            raise ValueError(
                f"no {dataset.noun} is left in {self.cfg.data}: see the counts above, "
                f"{flags} and --max-tokens"
            )
        return indices[~dropped]

    def fitting(self, indices, dataset, max_positions):
        """int[N']: those of ``indices`` (int[N]) that training keeps; none is counted."""
        reasons = _reasons(dataset, max_positions).values()
        return indices[~functools.reduce(np.logical_or, reasons)[indices]]


def _reasons(dataset, max_positions):
    """dict of str to bool[N]: which samples each reason drops, in their own order: that is
    faster than in the order of indices."""
    reasons = {dataset.empty_noun: dataset.empty(slice(None))}
    is_one = not isinstance(max_positions, (tuple, list))
    limits = [max_positions] * len(dataset.sides) if is_one else max_positions
    for side, lengths, limit in zip(dataset.sides, dataset.lengths, limits):
        limit = min(filter(None, (limit, dataset.max_batch_tokens)), default=None)
        if limit is not None:
            reasons[side.over(limit)] = lengths > limit
    return reasons
