"""Texts that are joined, each line once."""

import gzip

import pytest

from scripts.experiments.steps.join_texts import matching

from ..helpers import script

STEP = "scripts/experiments/steps/join_texts.py"


def test_lines_are_there_once_in_the_order_of_the_files(tmp_path):
    (tmp_path / "b.en").write_bytes(b"two\n\nthree\r\n \ntwo\n")
    with gzip.open(tmp_path / "a.en.gz", "wb") as file:
        file.write("\ufefftwo\none".encode())
    out = tmp_path / "new" / "train.text"
    printed = script(STEP, tmp_path / "b.en", tmp_path / "*.en.gz", "--out", out).stdout
    assert out.read_text("utf-8") == "two\nthree\none\n"
    assert printed.decode() == f"{out}: 3 different lines of 7\n"


def test_a_pattern_of_no_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no such file: .*/\*\.xx"):
        matching([str(tmp_path / "*.xx")])
