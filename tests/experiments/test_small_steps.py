"""Steps that make translations and measure data: whole outputs or none."""

import gzip
import subprocess
import sys

import numpy as np
import pytest

from data_prep.readers import Languages
from fairseq_bytefusion.tasks.shared.translation_options import ByteTranslationConfig
from scripts.experiments.steps.cut_to_shorter import cut
from scripts.experiments.steps.generate import MAX_POSITIONS, with_limit
from scripts.experiments.steps.measure_units import limit, measure
from scripts.experiments.steps.recording import (
    data_hashes,
    read_json,
    sha256,
    write_json,
)
from scripts.experiments.steps.slice_sample import slices
from scripts.experiments.steps.training_words import training_words

from ..helpers import REPO, script, write_pair

STEPS = REPO / "scripts/experiments/steps"


def generate(log, script):
    write_json(log.with_name("tokens.json"), {"limit": {"byte": [1.5, 2]}})
    log.with_name("test.xx-en.xx").write_text("ab\nabc\n")
    command = [
        *(sys.executable, STEPS / "generate.py", "--log", log, "--unit", "byte"),
        *("--tokens", log.with_name("tokens.json")),
        *("--sources", log.with_name("test.xx-en.xx"), "--", sys.executable, "-c", script),
    ]
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=60, check=False
    )


def test_a_complete_log_is_kept_with_its_command(tmp_path):
    log = tmp_path / "de.log"
    # "ab" may become 1.5 x 3 + 2 symbols, "abc" 8; an end has a score too.
    script = "print('P-1\\t' + '-1 ' * 9 + '\\nP-0\\t' + '-1 ' * 6)"
    assert generate(log, script).returncode == 0
    assert log.read_text().startswith("P-1\t-1 -1")
    record = read_json(tmp_path / "de.json")
    limit = ["--max-len-a", "1.5", "--max-len-b", "2"]
    assert record["command"][1:] == ["-c", script, *limit]
    assert record["limit"] == {"max_len_a": 1.5, "max_len_b": 2}
    assert record["at_limit"] == [1]
    assert record["seconds"] > 0
    assert not (tmp_path / "de.log.part").exists()


def test_what_scores_references_has_no_limit(tmp_path):
    command = (sys.executable, "-c", "print('H-0\\t-1.5\\ta')")
    script(STEPS / "generate.py", "--log", tmp_path / "de.log", "--", *command)
    assert (tmp_path / "de.log").read_text() == "H-0\t-1.5\ta\n"
    record = read_json(tmp_path / "de.json")
    assert record["command"] == list(command)
    assert "limit" not in record


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", ("--max-len-a 1.5 --max-len-b 2", 1.5, 2)),
        ("--max-len-a 0 --max-len-b 12", ("--max-len-a 0 --max-len-b 12", 0, 12)),
        ("--max-len-b 12", None),
    ],
)
def test_a_limit_that_is_given_is_kept(given, expected):
    if expected is None:
        with pytest.raises(ValueError, match="--max-len-a and --max-len-b go together"):
            with_limit(given.split(), (1.5, 2))
    else:
        command, *limit = with_limit(given.split(), (1.5, 2))
        assert (" ".join(command), *limit) == expected


def test_the_longest_target_is_that_of_the_package():
    assert ByteTranslationConfig.max_target_positions == MAX_POSITIONS


def test_how_long_translations_may_become():
    sources = np.full(1000, 10)
    targets = np.full(1000, 12)
    targets[:3] = 30, 20, 18
    assert limit(sources, targets) == (1.2, 8)  # 99.9% have at most 20
    assert limit(sources, sources // 2) == (1.0, 1)


def test_a_failed_translation_leaves_no_log(tmp_path):
    log = tmp_path / "de.log"
    result = generate(log, "print('half', flush=True); raise SystemExit('boom')")
    assert result.returncode == 1
    assert result.stderr.startswith("generate.py: fairseq-generate ended with status 1:")
    assert "boom" in result.stderr
    assert not log.exists()


@pytest.fixture
def data(tmp_path):
    """Two pairs of 4 and 2 lines with vocabularies."""
    sources = ["ab ab", "ab", "äb", "ab ab ab"]
    write_pair(tmp_path, "train", sources, ["a b"] * 4)
    write_pair(tmp_path, "train", ["b" * 20] * 2, ["a b"] * 2, src="yy")
    for src in ("xx", "yy"):
        write_pair(tmp_path, "valid", ["a"] * 2, ["a", "ä b"], src=src)
    flags = ("-s", "xx,yy", "-t", "en", "--source-size", "12", "--target-size", "7")
    script("data_prep/build_vocab.py", tmp_path, *flags)
    return tmp_path


def test_lengths_are_means_of_the_longer_side(data):
    found = measure(str(data), ["xx"], "en", 1.0)
    # Longer sides and ends: 5+1, 3+1, 3+1, 8+1 bytes; "äb" has a character less.
    assert found["train"]["byte"] == pytest.approx(23 / 4)
    assert found["train"]["char"] == pytest.approx(23 / 4)
    assert found["valid_target"]["byte"] == pytest.approx((2 + 5) / 2)
    assert found["valid_target"]["char"] == pytest.approx((2 + 4) / 2)
    assert found["limit"]["char"] == (1.34, 1)
    assert 1 < found["train"]["sentencepiece"] < found["train"]["byte"]


@pytest.mark.parametrize(
    ("is_tokenized", "expected"),
    [(False, {"I", "don", "'t", ",", "ä"}), (True, {"I", "don't", ",", "ä"})],
)
def test_words_of_training(tmp_path, is_tokenized, expected):
    write_pair(tmp_path, "train", ["a"], ["I don 't , ä"])
    write_pair(tmp_path, "train", ["a", "b"], ["I don 't", ""], src="yy")
    found = training_words(str(tmp_path), ["xx", "yy"], "en", is_tokenized)
    assert found == expected


@pytest.mark.parametrize(("temperature", "share"), [(1.0, 2 / 6), (1e9, 1 / 2)])
def test_pairs_weigh_as_often_as_they_are_drawn(data, temperature, share):
    found = measure(str(data), ["xx", "yy"], "en", temperature)
    expected = (1 - share) * 23 / 4 + share * 21
    assert found["train"]["byte"] == pytest.approx(expected)


def test_hashes_are_of_what_training_reads(data):
    (data / "stats.json").write_text("{}")
    hashes = data_hashes(str(data))
    assert hashes["train.xx-en.xx"] == sha256(data / "train.xx-en.xx")
    assert {"spm.xx.model", "dict.char.en.txt", "valid.yy-en.en"} < hashes.keys()
    assert "stats.json" not in hashes


def test_the_longer_side_is_cut(tmp_path, capsys):
    raw = tmp_path / "raw"
    raw.mkdir()
    for name, text in (("train.it", "a\nb\u2028c\n"), ("train.en", "x\ny\nz\n")):
        with gzip.open(raw / f"{name}.gz", "wb") as file:
            file.write(text.encode())
    for name in ("test.it", "test.en"):
        (raw / name).write_text("t\n")
    cut(str(raw), Languages("it", "en"), tmp_path / "out")
    found = {p.name: p.read_text("utf-8") for p in (tmp_path / "out").iterdir()}
    assert found == {
        "train.it-en.it": "a\nb\u2028c\n",
        "train.it-en.en": "x\ny\n",
        "test.it-en.it": "t\n",
        "test.it-en.en": "t\n",
    }
    out = capsys.readouterr().out
    assert out == f"{raw}/train.en.gz: 1 lines after the first 2 left out\n"


def test_slices_of_the_sample_do_not_overlap(tmp_path):
    slices(REPO / "data_prep/sample", 20, tmp_path)
    lines = {
        (name, lang): (tmp_path / name / f"train.{lang}-en.{lang}")
        .read_bytes()
        .split(b"\n")
        for name in ("first", "second")
        for lang in ("hi", "hx")
    }
    assert {len(found) for found in lines.values()} == {21}
    assert not set(lines["first", "hi"][:-1]) & set(lines["second", "hi"][:-1])
    assert lines["first", "hi"] != lines["first", "hx"]
    assert len((tmp_path / "second/test.hx-en.en").read_bytes().split(b"\n")) == 5
    tagged, classified = (
        [(tmp_path / name / f"train.{kind}").read_bytes() for name in ("first", "second")]
        for kind in ("conll", "tsv")
    )
    assert [text.count(b"\n\n") for text in tagged] == [20, 20]
    assert [text.count(b"\n") for text in classified] == [20, 20]
    assert tagged[0] != tagged[1]
