import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairseq_bytefusion.data.sampling import draw_counts, draw_epoch


@pytest.mark.parametrize(
    ("sizes", "temperature", "shares"),
    [
        ((1000, 10), 5, (0.715, 0.285)),
        ((1000, 10), 1, (0.990, 0.010)),
        ((1000, 10), 1e9, (0.5, 0.5)),
        ((1000, 10), 0.5, (1.0, 0.0)),
        ((64, 8, 1), 3, (4 / 7, 2 / 7, 1 / 7)),
        ((7,), 5, (1.0,)),
    ],
)
def test_shares(sizes, temperature, shares):
    counts = draw_counts(sizes, temperature)
    assert counts.sum() == pytest.approx(sum(sizes), abs=1)
    for count, share in zip(counts, shares):
        assert count == pytest.approx(share * sum(sizes), abs=1)
    assert counts.min() >= 1


def test_the_table_of_the_issue():
    counts = draw_counts([1000, 10], 5)
    assert (counts / counts.sum()).round(3).tolist() == [0.715, 0.285]


@pytest.mark.parametrize("temperature", [0, -1, float("nan")])
def test_bad_temperatures(temperature):
    with pytest.raises(ValueError, match="must be above 0"):
        draw_counts([3, 4], temperature)


SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=5)


@given(sizes=SIZES, temperature=st.floats(0.2, 50), seed=st.integers(0, 9))
def test_an_epoch(sizes, temperature, seed):
    drawn = draw_epoch(sizes, temperature, seed, 3)
    assert (draw_epoch(sizes, temperature, seed, 3) == drawn).all()
    ends = np.cumsum(sizes)
    counts = draw_counts(sizes, temperature)
    for end, size, count in zip(ends, sizes, counts):
        times = np.bincount(drawn[(drawn >= end - size) & (drawn < end)] - (end - size))
        times = np.pad(times, (0, size - len(times)))
        assert times.sum() == count
        assert times.max() - times.min() <= 1  # whole passes and a rest


@given(sizes=SIZES, seed=st.integers(0, 9))
def test_temperature_one_takes_every_sentence_once(sizes, seed):
    drawn = draw_epoch(sizes, 1, seed, 1)
    assert sorted(drawn.tolist()) == list(range(sum(sizes)))


def test_epochs_and_seeds_differ():
    orders = [draw_epoch([50, 20], 5, *key).tolist() for key in ((1, 1), (1, 2), (2, 1))]
    assert orders[0] != orders[1]
    assert orders[0] != orders[2]
    chosen = [sorted(set(order)) for order in orders]
    assert chosen[0] != chosen[1]  # the rest is another one
