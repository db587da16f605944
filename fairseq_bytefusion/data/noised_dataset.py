"""What data sets share whose samples are changed anew in every epoch."""

import functools
import zlib

import numpy as np
from fairseq.data import FairseqDataset, data_utils

from .batches import pack_batches


class NoisedDataset(FairseqDataset):
    """Samples that depend on the epoch and their number; a subclass sets ``sizes``.

    Args:
        shuffle (bool)
    """

    #: seed of the order of an epoch, together with its number
    order_seed = 1
    #: int64[N]: ids of each sample
    sizes = None

    def __init__(self, shuffle=False):
        super().__init__()
        self.shuffle, self.epoch = shuffle, 1

    @property
    def can_reuse_epoch_itr_across_epochs(self):
        """False: a worker process that lives on would keep the noise of its epoch."""
        return False

    @functools.cached_property
    def digest(self):
        """str: of what decides, besides the options of a batch, which samples are in it."""
        return f"{zlib.crc32(self.sizes.astype(np.int32)):08x}"

    def set_epoch(self, epoch):
        """Let the noise be that of ``epoch``."""
        self.epoch = epoch

    def __len__(self):
        return len(self.sizes)

    def num_tokens(self, index):
        return self.sizes[index]

    def size(self, index):
        return self.sizes[index]

    def ordered_indices(self):
        """int64[N]: at random where ``shuffle``, in another order every epoch."""
        if self.shuffle:
            # fairseq 0.12.2 seeds numpy by the seed alone, later ones by the epoch too.
            with data_utils.numpy_seed(self.order_seed + self.epoch):
                return np.random.permutation(len(self))
        return np.arange(len(self))

    def batch_by_size(self, indices, *args, **kwargs):
        """As in fairseq, but PackedBatches."""
        split = functools.partial(super().batch_by_size, **kwargs)
        return pack_batches(indices, lambda part: split(part, *args))
