import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_prep.line_hash import (
    HashSet,
    contains,
    find_lines,
    hash_lines,
    hash_pairs,
    priorities,
    select_lines,
)

LINE = st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b""))


def block_of(lines):
    return b"".join(line + b"\n" for line in lines)


@pytest.mark.parametrize(
    "lines", [[], [b""], [b"", b""], [b"a"], [b"ab", b"", b"cde"], [b"x" * 100, b"y"]]
)
def test_find_lines(lines):
    found = find_lines(block_of(lines))
    assert [found[i] for i in range(len(found))] == lines


@given(st.lists(st.tuples(LINE, st.booleans())))
def test_select_lines(rows):
    lines, keep = [r[0] for r in rows], np.array([r[1] for r in rows], bool)
    expected = block_of(line for line, kept in rows if kept)
    assert select_lines(find_lines(block_of(lines)), keep) == expected


@given(st.lists(LINE))
def test_lines_are_equal_when_their_hashes_are(lines):
    hashes = hash_lines(find_lines(block_of(lines))).tolist()
    assert len(set(hashes)) == len(set(lines))
    assert len(set(zip(hashes, lines))) == len(set(lines))


@given(st.lists(LINE, min_size=1), st.data())
def test_a_hash_does_not_depend_on_the_block(lines, data):
    keep = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(lines), max_size=len(lines)))
    )
    chosen = hash_lines(find_lines(block_of(lines)), keep).tolist()
    alone = [hash_lines(find_lines(line + b"\n")).item() for line in lines]
    assert chosen == [h for h, kept in zip(alone, keep) if kept]


def test_hashes_never_change():
    # Splits and samples made by an earlier version must come out the same.
    hashes = hash_lines(find_lines(b"\nkal subah\n" + "Привет, мир\n".encode()))
    expected = ["0000000000000000", "d47df30c54c98aae", "bda3497c727f8631"]
    assert [f"{value:016x}" for value in hashes.tolist()] == expected


def test_similar_lines_have_different_hashes():
    lines = [b"a" * n for n in range(300)]
    lines += [b"a" * n + b"b" + b"a" * (299 - n) for n in range(300)]
    lines += [b"a" * n + b"\0" * m for n in range(1, 10) for m in range(1, 10)]
    assert len(np.unique(hash_lines(find_lines(block_of(lines))))) == len(set(lines))


def test_sides_of_a_pair_do_not_commute():
    left, right = (np.array([value], np.uint64) for value in (3, 5))
    assert hash_pairs(left, right) != hash_pairs(right, left)


def test_priorities_are_an_order_for_each_seed():
    hashes = np.arange(1000, dtype=np.uint64)
    orders = [np.argsort(priorities(hashes, seed)).tolist() for seed in (1, 1, 2, -1)]
    assert orders[0] == orders[1]
    assert orders[0] != orders[2] != orders[3]
    assert sorted(orders[0]) == list(range(1000))


@given(st.lists(st.lists(st.integers(1, 30)), max_size=20), st.sampled_from([8, 1 << 10]))
def test_hash_set_equals_a_set(batches, capacity):
    table, seen = HashSet(capacity), set()
    for batch in batches:
        expected = []
        for value in batch:
            expected.append(value not in seen)
            seen.add(value)
        assert table.add(np.array(batch, np.uint64)).tolist() == expected
    assert len(table) == len(seen)


def test_hash_set_grows():
    table = HashSet(16)
    values = priorities(np.arange(5000, dtype=np.uint64), 1)
    assert table.add(values).all()
    assert not table.add(values).any()
    assert len(table) == 5000


def test_contains():
    members = np.array([2, 5, 9], np.uint64)
    asked = np.array([0, 2, 3, 9, 10], np.uint64)
    assert contains(members, asked).tolist() == [False, True, False, True, False]
    assert not contains(members[:0], asked).any()
