"""Sums over sentences divided by each other, on resamples."""

import numpy as np

from fairseq_bytefusion.evaluation.resampling import draw_sentences, resampled_ratios


def test_ratios_are_of_sums():
    parts, wholes = np.array([1.0, 2.0, 0.0]), np.array([2, 2, 0])
    chosen = np.array([[0, 1, 2], [1, 1, 1], [2, 2, 2]])
    found = resampled_ratios(parts, wholes, chosen)
    assert found[:2].tolist() == [3 / 4, 1]
    assert np.isnan(found[2])


def test_test_sets_of_one_size_share_their_draws():
    first, second = draw_sentences(5, 30), draw_sentences(5, 30)
    assert (first == second).all()
    assert first.shape == (30, 5)
    assert {int(i) for i in first.flat} == set(range(5))
