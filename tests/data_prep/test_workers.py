import os

import pytest

from data_prep.workers import worker_map


def square(number):
    return number * number


def die(number):
    os._exit(1)


def complain(number):
    raise ValueError(f"{number} is no good")


@pytest.mark.parametrize("num_workers", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_results_come_in_order(num_workers, count):
    with worker_map(square, num_workers) as work:
        assert list(work(range(count))) == [n * n for n in range(count)]


def test_no_item_is_read_long_before_it_is_needed():
    read = []
    items = (read.append(n) or n for n in range(100))
    with worker_map(square, 2) as work:
        next(work(items))
        assert len(read) == 3


@pytest.mark.parametrize("num_workers", [1, 2])
def test_errors_are_raised_here(num_workers):
    with (
        worker_map(complain, num_workers) as work,
        pytest.raises(ValueError, match="0 is no"),
    ):
        list(work(range(5)))


def test_a_worker_that_dies():
    with worker_map(die, 2) as work, pytest.raises(RuntimeError, match="fewer --workers"):
        list(work(range(5)))
