"""Translations as long as the search lets them be."""

import numpy as np
import pytest

from fairseq_bytefusion.tasks.shared.generation_limits import MAX_LEN_A, MAX_LEN_B
from scripts.experiments.report.length_limit import count_at_limit, limit_of

from ..helpers import fairseq, train
from .helpers import write


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], (MAX_LEN_A, MAX_LEN_B)),
        (["--max-len-a", "1.5", "--beam", "4", "--max-len-b", "10"], (1.5, 10)),
        (["--max-len-b=7", "--max-len-b", "8"], (MAX_LEN_A, 8)),
    ],
)
def test_the_limit_is_that_of_the_command(flags, expected):
    assert limit_of(["fairseq-generate", "DATA", *flags]) == expected


@pytest.mark.parametrize(
    ("a", "b", "symbols", "expected"),
    [
        ("0", "3", [4, 3, 1], 1),  # three symbols and the end
        ("0", "2", [3, 3, 1], 2),
        ("1", "0", [6, 3, 4], 2),  # sources of 5, 3 and 3 symbols
        ("0.5", "1", [4, 3, 3], 3),  # 3.5 is 3
    ],
)
def test_scores_of_symbols_are_counted(tmp_path, a, b, symbols, expected):
    lines = [f"P-{i}\t{' '.join(['-0.5000'] * n)}\n" for i, n in enumerate(symbols)]
    log = write(tmp_path / "de.log", "S-0\tP-1\t-0.5\n" + "".join(lines))
    command = ["--max-len-a", a, "--max-len-b", b]
    assert count_at_limit(log, np.array([5, 3, 3]), command) == expected


@pytest.mark.parametrize("limit", ["2", "200"])
def test_of_a_search(toy_data, tmp_path, limit):
    train(toy_data, tmp_path, "-s", "xx", "-t", "en", "--max-update", "60",
          "--disable-validation")  # fmt: skip
    flags = ["--task", "byte_translation", "--gen-subset", "test", "--max-len-a", "0",
             "--max-len-b", limit, "--beam", "2"]  # fmt: skip
    path = tmp_path / "checkpoint_last.pt"
    result = fairseq("generate", toy_data, "-s", "xx", "-t", "en", *flags, "--path", path)
    log = write(tmp_path / "log", result.stdout.decode())
    lengths = [len(line.split()) for line in log.read_text().split("\n")
               if line.startswith("P-")]  # fmt: skip
    found = count_at_limit(log, np.full(8, 9), flags)
    # The name of the line is a word too.
    assert found == lengths.count(int(limit) + 2)
    assert limit == "200" or found
