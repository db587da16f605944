"""Workarounds for numpy."""

import types


def restore_numpy_bucketing():
    """Give fairseq the ``np.compat.long`` and the percentiles that it asks for.

    Symptom: ``module 'numpy' has no attribute 'compat'``, then ``percentile() got
    an unexpected keyword argument 'interpolation'``, with ``--num-batch-buckets``.
    numpy >= 2.0 and >= 2.4.
    """
    import numpy as np

    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        return
    if "compat" not in vars(np):
        np.compat = types.SimpleNamespace(long=int)

    from fairseq.data import bucket_pad_length_dataset

    def get_buckets(sizes, num_buckets):
        levels = np.linspace(0, 100, num_buckets + 1)
        return np.unique(np.percentile(sizes, levels, method="lower")[1:])

    bucket_pad_length_dataset.get_buckets = get_buckets
