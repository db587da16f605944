"""The batches of an epoch in little memory: two arrays, not an array object for each."""

from collections.abc import Sequence

import numpy as np

SLICE_PAIRS = 1 << 20  # what fairseq puts into batches at a time
# fairseq fills batches from the left and starts anew behind each one (those of fixed shapes
# where samples are in the order of their lengths). Only the end of a slice shows that it is
# one: a batch cut short, or cut into several by --required-batch-size-multiple.
_UNSETTLED = 3


class PackedBatches(Sequence):
    """A sequence of batches; each is made when it is asked for.

    It is callable as fairseq's ``batch_sampler``: fairseq makes a tuple of any other one,
    in which 20 million sentences are half a million array objects.

    Args:
        indices (int[N]): of the samples, batch by batch.
        ends (int64[B]): where in ``indices`` each batch ends.
        order (int64[B'], optional): numbers of batches, as they follow each other; -1 is
            an empty batch.
    """

    def __init__(self, indices, ends, order=None):
        self.indices, self.ends = indices, ends
        self.order = np.arange(len(ends)) if order is None else order

    def __call__(self, dataset, epoch):
        return self

    def __len__(self):
        return len(self.order)

    def __getitem__(self, i):
        """int64[...], the indices of batch ``i``; of a slice, PackedBatches."""
        if isinstance(i, slice):
            return PackedBatches(self.indices, self.ends, self.order[i])
        number = self.order[i]
        if number < 0:
            return np.empty(0, np.int64)
        start = self.ends[number - 1] if number else 0
        return self.indices[start : self.ends[number]].astype(np.int64)

    def reordered(self, order):
        """The batches of these numbers (int64[B'])."""
        return PackedBatches(self.indices, self.ends, order)


def pack_batches(indices, split):
    """What ``split`` makes of all ``indices``, without a list of all its batches.

    Args:
        indices (int[N])
        split (callable): int64[M] to batches, consecutive parts of it.

    Returns:
        PackedBatches
    """
    ends, start, length = [np.empty(0, np.int64)], 0, SLICE_PAIRS
    while start < len(indices):
        is_last = start + length >= len(indices)
        batches = split(indices[start : start + length].astype(np.int64))
        # Before a sample too long for any fixed shape fairseq has an empty batch.
        batches = [batch for batch in batches if len(batch)]
        settled = batches if is_last else batches[:-_UNSETTLED]
        if not settled:
            length *= 2
            continue
        ends.append(start + np.cumsum([len(batch) for batch in settled]))
        start = int(ends[-1][-1])
    return PackedBatches(indices, np.concatenate(ends))
