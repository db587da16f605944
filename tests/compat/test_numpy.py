import numpy as np
import pytest

from fairseq_bytefusion.compat.numpy import restore_numpy_bucketing


def test_bucketing_needs_the_numpy_workaround(monkeypatch):
    from fairseq.data import bucket_pad_length_dataset, data_utils

    sizes = np.array([1, 2, 3, 4, 5, 6])
    buckets = bucket_pad_length_dataset.get_buckets(sizes, 2)
    assert buckets.tolist() == [3, 6]
    if np.lib.NumpyVersion(np.__version__) >= "2.4.0":
        with pytest.raises(TypeError, match="interpolation"):
            data_utils.get_buckets(sizes, 2)
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        monkeypatch.delattr(np, "compat")
        restore_numpy_bucketing()
        assert np.compat.long is int
