"""Pairs of sentences of one or several languages as a fairseq dataset."""

import numpy as np
from fairseq.data import LanguagePairDataset, data_utils

from ..batches import PackedBatches, pack_batches
from ..lines.array_cache import spilled
from ..sampling import draw_epoch


class ParallelDataset(LanguagePairDataset):
    """fairseq's pair dataset over the lines of files.

    Takes the arguments of ``LanguagePairDataset`` and those below. ``src_lengths`` and
    ``tgt_lengths`` (int32[N]) are those of the pairs, where ``src_sizes`` and
    ``tgt_sizes`` may be those of their buckets.

    Several language pairs lie one behind the other. With ``shuffle`` (training) they are
    mixed by ``temperature``; without it every batch is of one language pair, whose name
    it has under ``pair``.

    Args:
        language_pairs (dict of str to int, optional): name of each language pair to its
            number of sentences.
        temperature (float): see :func:`~.sampling.draw_epoch`; 1 takes every sentence
            once.
        source_specials (int): ids of a source that are not text: ``</s>``, a tag.
    """

    #: Seed of the order of equally long pairs. fairseq would draw one order in epoch 1
    #: and keep it, but draw another one when resumed in epoch 2.
    order_seed = 1

    #: ``--max-tokens``: a longer pair counts as this many, a batch of its own
    max_batch_tokens = None

    def __init__(
        self,
        src,
        src_sizes,
        src_dict,
        tgt=None,
        tgt_sizes=None,
        *args,
        language_pairs=None,
        temperature=1.0,
        source_specials=1,
        **kwargs,
    ):
        self.src_lengths = spilled(np.asarray(src_sizes))
        self.tgt_lengths = None if tgt_sizes is None else spilled(np.asarray(tgt_sizes))
        self.language_pairs = language_pairs or {}
        self.temperature = temperature
        self.source_specials = source_specials
        self._epoch = 1
        # fairseq copies lengths into memory, twice, where only buckets need that.
        copied = slice(None if kwargs.get("num_buckets") else 0)
        sizes = [None if side is None else side[copied] for side in (src_sizes, tgt_sizes)]
        super().__init__(src, sizes[0], src_dict, tgt, sizes[1], *args, **kwargs)
        if self.buckets is None:
            self.src_sizes, self.tgt_sizes = self.src_lengths, self.tgt_lengths

    @property
    def sizes(self):
        """int32[N, 2], or int32[N] without a target; made anew, fairseq keeps a copy."""
        if self.tgt_sizes is None:
            return self.src_sizes
        return np.stack([self.src_sizes, self.tgt_sizes], axis=1)

    @sizes.setter
    def sizes(self, value):
        """What fairseq computes is not kept."""

    @property
    def _is_mixed(self):
        return self.shuffle and self.temperature != 1 and len(self.language_pairs) > 1

    @property
    def can_reuse_epoch_itr_across_epochs(self):
        """bool: not where every epoch draws other sentences."""
        return not self._is_mixed

    def set_epoch(self, epoch):
        super().set_epoch(epoch)
        self._epoch = epoch

    def ordered_indices(self):
        """int[N]: pairs by length; the same whichever epoch or worker asks for them.

        With a temperature those of the epoch: some more than once, some not at all.
        Without one the order is fairseq's, found faster.
        """
        if self._is_mixed:
            sizes = list(self.language_pairs.values())
            indices = draw_epoch(sizes, self.temperature, self.order_seed, self._epoch)
        elif self.shuffle:
            with data_utils.numpy_seed(self.order_seed):
                indices = np.random.permutation(len(self))
        else:
            indices = np.arange(len(self))
        if len(self) < 1 << 31:
            indices = indices.astype(np.int32)
        if self.buckets is not None:
            keys = [self.bucketed_num_tokens]
        else:
            keys = [self.tgt_sizes, self.src_sizes]
        for key in keys:
            if key is not None:
                indices = indices.take(np.argsort(_small(key)[indices], kind="stable"))
        return indices

    def batch_by_size(self, indices, *args, **kwargs):
        """As in fairseq; without ``shuffle`` a batch is of one language pair.

        Args:
            indices (int[N])

        Returns:
            PackedBatches: of int64[B]
        """

        def split(part):
            return super(ParallelDataset, self).batch_by_size(part, *args, **kwargs)

        if self.shuffle or len(self.language_pairs) < 2:
            return pack_batches(spilled(indices), split)
        which = self._pair_numbers(indices)
        parts = [indices[which == k] for k in range(len(self.language_pairs))]
        packed = [pack_batches(part, split) for part in parts]
        starts = np.cumsum([0, *map(len, parts[:-1])])
        ends = [start + batches.ends for start, batches in zip(starts, packed)]
        return PackedBatches(np.concatenate(parts), np.concatenate(ends))

    def collater(self, samples, pad_to_length=None):
        """As in fairseq, and ``pair``, the language pair, where there are several."""
        batch = super().collater(samples, pad_to_length)
        if batch and not self.shuffle and len(self.language_pairs) > 1:
            number = self._pair_numbers([samples[0]["id"]])[0]
            batch["pair"] = list(self.language_pairs)[number]
        return batch

    def _pair_numbers(self, indices):
        ends = np.cumsum(list(self.language_pairs.values()))
        return np.searchsorted(ends, indices, side="right")

    def num_tokens(self, index):
        return int(self.num_tokens_vec(np.array([index]))[0])

    def num_tokens_vec(self, indices):
        """Ids of the longer side of each pair.

        Args:
            indices (int64[N])

        Returns:
            int32[N]
        """
        sizes = super().num_tokens_vec(indices)
        if self.max_batch_tokens is None:
            return sizes
        return np.minimum(sizes, self.max_batch_tokens)

    def empty(self, indices):
        """bool[N]: which pairs have an empty side (no text)."""
        empty = self.src_lengths[indices] <= self.source_specials
        if self.tgt_lengths is None:
            return empty
        return empty | (self.tgt_lengths[indices] <= 1)


def _small(lengths):
    """Lengths (int[N]) as 16 bits if these do: numpy has a radix sort for no more."""
    fits = len(lengths) and lengths.max() < 1 << 16
    return lengths.astype(np.uint16) if fits else lengths
