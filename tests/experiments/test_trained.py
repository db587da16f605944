"""When a training counts as trained to its end."""

import pytest

from scripts.experiments.report.trained import (
    FLAT_GAIN,
    LAST_SHARE,
    LEAST_BLEU,
    judge,
    last_gain,
)

FLAT = {800: 2.0, 1000: 1.99}
LATE = "better in the last 20% of the updates"


def test_thresholds_are_those_of_the_issue():
    assert (LAST_SHARE, FLAT_GAIN, LEAST_BLEU) == (0.2, 0.01, 12)


@pytest.mark.parametrize(
    ("bits", "gain"),
    [
        ({800: 2.0, 1000: 1.9}, 0.05),
        ({500: 4.0, 700: 2.0, 900: 1.9, 1000: 1.8}, 0.1),  # 700 is the last before 800
        ({800: 2.0, 1000: 2.5}, 0),  # it rises: it was flat
        ({400: 2.0, 800: 3.0, 1000: 2.2}, 0),  # the best so far counts
        ({900: 2.0, 1000: 2.0}, 1),  # nothing before the last fifth
        ({1000: 2.0}, 1),
    ],
)
def test_gain_in_the_last_fifth(bits, gain):
    assert last_gain(bits) == pytest.approx(gain)


@pytest.mark.parametrize(
    ("curves", "bleu", "lacks"),
    [
        ([FLAT], 12, []),
        ([FLAT], 11.99, ["BLEU below 12"]),
        (
            [FLAT, {800: 2.0, 1000: 1.98}],
            30,
            [f"1.0% {LATE}"],
        ),
        ([{10: 4.0}], 0, [f"100.0% {LATE}", "BLEU below 12"]),
    ],
)
def test_what_a_row_lacks(curves, bleu, lacks):
    found = judge(curves, bleu)
    assert found.lacks == lacks
    assert found.is_to_its_end is (not lacks)
