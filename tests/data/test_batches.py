"""Batches in two arrays are those of fairseq's list."""

import numpy as np
import pytest
import torch
from fairseq.data import FairseqDataset, data_utils

from fairseq_bytefusion.data import batches as packing
from fairseq_bytefusion.data.batches import PackedBatches, pack_batches

EMPTY = []


class Numbers(FairseqDataset):
    """Sample i is i."""

    def __getitem__(self, i):
        return int(i)

    def __len__(self):
        return 100

    def collater(self, samples):
        return torch.tensor(samples, dtype=torch.long)


def random_batches(count=23, seed=0):
    """list of int64[B] and the same as PackedBatches."""
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.choice(np.arange(1, 100), count, replace=False))
    indices = rng.permutation(ends[-1])
    return np.split(indices, ends[:-1]), PackedBatches(indices.astype(np.int32), ends)


def tolists(batches):
    return [batch.tolist() for batch in batches]


def test_a_batch_is_made_when_asked_for():
    plain, packed = random_batches()
    assert len(packed) == len(plain)
    assert tolists(packed) == tolists(plain)
    assert packed[-1].tolist() == plain[-1].tolist()
    assert packed[0].dtype == np.int64
    assert tolists(packed[3:9][1:]) == tolists(plain[3:9][1:])
    assert tolists(packed.reordered(np.array([4, -1, 2]))) == [
        plain[4].tolist(),
        EMPTY,
        plain[2].tolist(),
    ]
    with pytest.raises(IndexError):
        packed[len(packed)]


@pytest.mark.parametrize("multiple", [1, 3, 8])
@pytest.mark.parametrize("limits", [(60, None), (None, 5), (60, 7), (400, None)])
@pytest.mark.parametrize("slice_pairs", [1, 7, 64])
def test_slices_make_the_batches_of_the_whole(monkeypatch, multiple, limits, slice_pairs):
    monkeypatch.setattr(packing, "SLICE_PAIRS", slice_pairs)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        indices = rng.permutation(200)
        tokens = rng.integers(1, 30, 200)
        if seed % 2:
            tokens[indices] = np.sort(tokens)

        def split(part, tokens=tokens):
            return data_utils.batch_by_size(
                part, None, tokens[part], *limits, required_batch_size_multiple=multiple
            )

        packed = pack_batches(indices.astype(np.int32), split)
        assert tolists(packed) == tolists(split(indices))


@pytest.mark.parametrize("slice_pairs", [1, 7, 64])
@pytest.mark.parametrize("longest", [29, 60])
def test_slices_of_fixed_shapes_make_the_batches_of_the_whole(
    monkeypatch, longest, slice_pairs
):
    """Buckets, the largest of which may be over the limit; in their order."""
    monkeypatch.setattr(packing, "SLICE_PAIRS", slice_pairs)
    shapes = np.array([[longest // size, size] for size in (13, 20, 34, 42)])
    for seed in range(20):
        rng = np.random.default_rng(seed)
        indices = rng.permutation(100)
        tokens = np.empty(100, np.int64)
        tokens[indices] = np.sort(rng.choice(shapes[:, 1], 100))

        def split(part, tokens=tokens):
            return data_utils.batch_by_size(part, tokens.__getitem__, fixed_shapes=shapes)

        packed = pack_batches(indices.astype(np.int32), split)
        expected = [list(batch) for batch in split(indices) if len(batch)]
        assert tolists(packed) == expected


def test_no_indices_make_no_batches():
    assert len(pack_batches(np.empty(0, np.int32), None)) == 0
