"""Batches of data sets of one side or two."""

from ...data.batches import PackedBatchIterator


class PackedBatching:
    """For a task whose data sets are :class:`~...data.sided_dataset.SidedDataset`: batches
    in little memory, and none too long for ``--max-tokens``."""

    def get_batch_iterator(self, dataset, max_tokens=None, seed=1, **kwargs):
        """As in fairseq, but a sample longer than ``--max-tokens`` is no error.

        In training it is dropped and counted, elsewhere a batch of its own.
        """
        dataset.max_batch_tokens, dataset.order_seed = max_tokens, seed
        iterator = super().get_batch_iterator(
            dataset, max_tokens=max_tokens, seed=seed, **kwargs
        )
        # The same object: fairseq may have kept it, for other epochs.
        iterator.__class__ = PackedBatchIterator
        return iterator
