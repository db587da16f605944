"""Batches of data sets of one side or two."""

import functools

from ...data.epochs import PackedBatchIterator


class PackedBatching:
    """For a task whose data sets are :class:`~...data.sided_dataset.SidedDataset`, or make
    their batches as it does: batches in little memory, none too long for ``--max-tokens``,
    and a stopped epoch that goes on whatever they are then."""

    def get_batch_iterator(
        self,
        dataset,
        max_tokens=None,
        max_sentences=None,
        max_positions=None,
        required_batch_size_multiple=1,
        seed=1,
        num_shards=1,
        grouped_shuffling=False,
        **kwargs,
    ):
        """As in fairseq, but a sample longer than ``--max-tokens`` is no error.

        In training it is dropped and counted, elsewhere a batch of its own.
        """
        batching = {
            "max_tokens": max_tokens,
            "max_sentences": max_sentences,
            "max_positions": max_positions,
            "required_batch_size_multiple": required_batch_size_multiple,
            "seed": seed,
            "num_shards": num_shards,
            "grouped_shuffling": grouped_shuffling,
        }
        dataset.max_batch_tokens, dataset.order_seed = max_tokens, seed
        iterator = super().get_batch_iterator(dataset, **batching, **kwargs)
        # The same object: fairseq may have kept it, for other epochs.
        iterator.__class__ = PackedBatchIterator
        batching["max_positions"] = _plain(max_positions)
        epoch = kwargs.get("epoch", 1)
        iterator.remember(batching, functools.partial(self._batches, dataset, epoch))
        return iterator

    def _batches(self, dataset, epoch, batching, indices=None):
        """PackedBatches of an epoch, or of what ``indices`` (int[N]) have left of it."""
        seed, limits = batching["seed"], batching["max_positions"]
        dataset.max_batch_tokens, dataset.order_seed = batching["max_tokens"], seed
        if indices is None:
            dataset.set_epoch(epoch)
            indices = dataset.ordered_indices()
        if limits is not None:
            indices = self.fitting(indices, dataset, limits)
        sizes = ("max_tokens", "max_sentences", "required_batch_size_multiple")
        return dataset.batch_by_size(indices, **{name: batching[name] for name in sizes})

    def fitting(self, indices, dataset, max_positions):
        """int[N']: those of ``indices`` that training keeps; none is counted again."""
        return dataset.filter_indices_by_size(indices, max_positions)[0]


def _plain(limits):
    """Limits of length as a checkpoint can hold them."""
    return list(limits) if isinstance(limits, (tuple, list)) else limits
