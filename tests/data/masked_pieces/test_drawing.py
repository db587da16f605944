import numpy as np
import pytest

from fairseq_bytefusion.data.masked_pieces.drawing import (
    LEVELS,
    corrupt_words,
    draw_share,
)
from fairseq_bytefusion.data.masking import corrupt

from ...oracles import masking as oracle

MASK, ALPHABET = 3, np.arange(100, 110)


def rng(seed=1):
    return np.random.default_rng((seed, 2, 3))


@pytest.mark.parametrize("shares", [(0.8, 0.1, 0.1), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_masking_is_that_of_one_symbol_at_a_time(shares):
    ids, chosen = np.arange(10, 60), rng().random(50) < 0.6
    args = (ids, chosen, MASK, ALPHABET, shares)
    found = corrupt(*args, rng=rng())
    assert np.array_equal(found, oracle.corrupt(*args, rng()))
    assert np.array_equal(found[~chosen], ids[~chosen])


def test_shares_are_80_10_10():
    ids = np.zeros(20000, np.int64)
    found = corrupt(ids, np.ones(20000, bool), MASK, ALPHABET, rng=rng())
    assert (found == MASK).mean() == pytest.approx(0.8, abs=0.01)
    assert (found >= 100).mean() == pytest.approx(0.1, abs=0.01)
    assert (found == 0).mean() == pytest.approx(0.1, abs=0.01)
    assert set(found) == {0, MASK, *ALPHABET}


@pytest.mark.parametrize("level", LEVELS)
def test_only_chosen_words_change_and_keep_their_lengths(level):
    words = [np.full(n, 50 + n) for n in (1, 2, 3, 4, 5, 6)]
    chosen = np.array([True, False, True, False, True, True])
    for seed in range(20):
        found = corrupt_words(words, chosen, level, MASK, ALPHABET, rng(seed))
        assert list(map(len, found)) == list(map(len, words))
        for word, own, is_chosen in zip(found, words, chosen):
            assert is_chosen or np.array_equal(word, own)


def fates(level):
    """How often a word of three characters is masked, replaced, kept as a whole; or not."""
    words, chosen = [np.full(3, 50)] * 10000, np.ones(10000, bool)
    found = np.stack(corrupt_words(words, chosen, level, MASK, ALPHABET, rng()))
    kinds = np.where(found == MASK, 0, np.where(found == 50, 2, 1))
    whole = (kinds == kinds[:, :1]).all(1)
    return [float((whole & (kinds[:, 0] == k)).mean()) for k in range(3)], whole.mean()


def test_a_piece_has_one_fate_and_characters_have_their_own():
    of_pieces, whole = fates("piece")
    assert whole == 1
    assert of_pieces == pytest.approx([0.8, 0.1, 0.1], abs=0.02)
    of_characters, whole = fates("character")
    assert of_characters == pytest.approx([0.8**3, 0.1**3, 0.1**3], abs=0.02)
    assert whole == pytest.approx(sum(of_characters))


@pytest.mark.parametrize(("share", "count"), [(0.15, 0.15), (1, 1), (0.001, 1 / 40)])
def test_a_share_is_drawn_and_at_least_one(share, count):
    possible = np.arange(80) % 2 == 0
    drawn = np.stack([draw_share(possible, share, rng(seed)) for seed in range(300)])
    assert drawn.any(1).all()
    assert not drawn[:, ~possible].any()
    assert drawn[:, possible].mean() == pytest.approx(count, abs=0.01)
    if share < 1:
        assert len({row.tobytes() for row in drawn}) > 10
