"""Sentences of one or two sides, of one or several languages, as a fairseq dataset."""

import functools
import zlib

import numpy as np
from fairseq.data import ConcatDataset, LanguagePairDataset, data_utils

from .batches import PackedBatches, pack_batches
from .lines.array_cache import spilled
from .sampling import draw_epoch


class SidedDataset(LanguagePairDataset):
    """What data sets of one side and of two have in common: order, batches, languages.

    fairseq's ``LanguagePairDataset`` is one of sources alone where it gets no target.

    Its parts, such as language pairs, lie one behind the other. With ``shuffle`` (training)
    they are mixed by ``temperature``; without it every batch is of one part, whose name it
    has under ``part_key``.

    Args:
        sides (sequence of Side): one or two.
        parts (dict of str to tuple): name of each part to its datasets of ids, one a side
            and as long as each other, which have ``sizes``. A second side may lack its
            dataset everywhere.
        temperature (float): see :func:`~.sampling.draw_epoch`; 1 takes every sentence
            once.
        **options: ``shuffle``, ``num_buckets``, ``pad_to_multiple`` and ``constraints`` of
            ``LanguagePairDataset``.
    """

    #: what messages call a sample, and one in which there is nothing to learn
    noun, empty_noun = "sentence", "no text"
    #: where a batch has the name of its part
    part_key = "lang"

    #: Seed of the order of equally long samples. fairseq would draw one order in epoch 1
    #: and keep it, but draw another one when resumed in epoch 2.
    order_seed = 1

    #: ``--max-tokens``: a longer sample counts as this many, a batch of its own
    max_batch_tokens = None

    def __init__(self, sides, parts, temperature=1.0, **options):
        columns = [concatenated(column) for column in zip(*parts.values())]
        sizes = [column.sizes for column in columns]
        self.sides = tuple(sides)
        #: int32[N] for each side that is there: ids of each sentence, where ``src_sizes``
        #: and ``tgt_sizes`` may be those of its bucket
        self.lengths = tuple(spilled(np.asarray(column)) for column in sizes)
        #: name of each part -> its number of samples
        self.parts = {name: len(datasets[0]) for name, datasets in parts.items()}
        self.temperature = temperature
        self._epoch = 1
        # fairseq copies lengths into memory, twice, where only buckets need that.
        copied = slice(None if options.get("num_buckets") else 0)
        arguments = [
            argument
            for column, lengths, side in zip(columns, sizes, self.sides)
            for argument in (column, lengths[copied], side.dictionary)
        ]
        super().__init__(
            *arguments,
            left_pad_source=self.sides[0].left_pad,
            left_pad_target=self.sides[-1].left_pad,
            **options,
        )
        if self.buckets is None:
            self.src_sizes, self.tgt_sizes = (*self.lengths, None)[:2]

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
        return self.shuffle and self.temperature != 1 and len(self.parts) > 1

    @property
    def can_reuse_epoch_itr_across_epochs(self):
        """bool: not where every epoch draws other sentences."""
        return not self._is_mixed

    @functools.cached_property
    def digest(self):
        """str: of what decides, besides the options of a batch, which samples are in it."""
        options = (self.parts, self.temperature, self.buckets, self.pad_to_multiple)
        digest = zlib.crc32(repr(options).encode())
        for lengths in self.lengths:
            digest = zlib.crc32(np.ascontiguousarray(lengths), digest)
        return f"{digest:08x}"

    def set_epoch(self, epoch):
        super().set_epoch(epoch)
        self._epoch = epoch

    def ordered_indices(self):
        """int[N]: samples by length; the same whichever epoch or worker asks for them.

        With a temperature those of the epoch: some more than once, some not at all.
        Without one the order is fairseq's, found faster.
        """
        if self._is_mixed:
            sizes = list(self.parts.values())
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
        """As in fairseq; without ``shuffle`` a batch is of one part.

        Args:
            indices (int[N])

        Returns:
            PackedBatches: of int64[B]
        """

        def split(part):
            return super(SidedDataset, self).batch_by_size(part, *args, **kwargs)

        if self.shuffle or len(self.parts) < 2:
            return pack_batches(spilled(indices), split)
        which = self._part_numbers(indices)
        chosen = [indices[which == k] for k in range(len(self.parts))]
        packed = [pack_batches(part, split) for part in chosen]
        starts = np.cumsum([0, *map(len, chosen[:-1])])
        ends = [start + batches.ends for start, batches in zip(starts, packed)]
        return PackedBatches(np.concatenate(chosen), np.concatenate(ends))

    def collater(self, samples, pad_to_length=None):
        """As in fairseq, and the name of the part, where there are several."""
        batch = super().collater(samples, pad_to_length)
        if batch and not self.shuffle and len(self.parts) > 1:
            number = self._part_numbers([samples[0]["id"]])[0]
            batch[self.part_key] = list(self.parts)[number]
        return batch

    def _part_numbers(self, indices):
        ends = np.cumsum(list(self.parts.values()))
        return np.searchsorted(ends, indices, side="right")

    def num_tokens(self, index):
        return int(self.num_tokens_vec(np.array([index]))[0])

    def num_tokens_vec(self, indices):
        """Ids of each sample, of the longer side where there are two.

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
        """bool[N]: which samples have a side without text."""
        empty = [
            lengths[indices] <= side.num_specials
            for side, lengths in zip(self.sides, self.lengths)
        ]
        return np.logical_or.reduce(empty)


def concatenated(datasets, first=1):
    """Data sets (a sequence) one behind the other, ``first`` (int) times the first."""
    if len(datasets) == 1:
        return datasets[0]
    return ConcatDataset(list(datasets), [first] + [1] * (len(datasets) - 1))


def _small(lengths):
    """Lengths (int[N]) as 16 bits if these do: numpy has a radix sort for no more."""
    fits = len(lengths) and lengths.max() < 1 << 16
    return lengths.astype(np.uint16) if fits else lengths
