"""Reports of trainings that nothing is translated with, and the steps of word composers."""

import csv
import sys

import pytest

from fairseq_bytefusion.modules.approximation_loss import TERMS
from scripts.experiments.kinds import embedding_approximation
from scripts.experiments.report.approximation import last_validation
from scripts.experiments.report.summary import Summary, detail, write_summary
from scripts.experiments.steps import misspell_text as step
from scripts.experiments.steps.recording import data_hashes

from .helpers import build, grid_of, write


def test_the_last_validation_of_a_log(tmp_path):
    log = write(
        tmp_path / "log",
        '2026 | INFO | clean | {"clean_loss": "2.5"}\n'
        '2026 | INFO | clean | {"clean_loss": "1.5", "clean_precision@1": "0"}\n'
        '2026 | INFO | noised | {"noised_loss": "1.7"}\n',
    )
    assert last_validation(log, "clean") == {"loss": 1.5, "precision@1": 0.0}
    assert last_validation(log, "noised") == {"loss": 1.7}
    with pytest.raises(ValueError, match="holds no validation of test"):
        last_validation(log, "test")


def test_the_terms_are_those_of_the_criterion():
    assert tuple(TERMS) == embedding_approximation.TERMS


def test_the_papers_nine_subsets_are_in_the_small_profile():
    plan, _ = build(grid_of("small"))
    losses = {
        s.name: list(plan.spec_of(s).seeds_by_system(s))
        for s in plan.settings_of("embedding_approximation")
    }
    assert len(losses["minilm_6k-noise_0"]) == 9
    assert losses["me5_10k-noise_0"] == ["ce", "ce+cos+l2+nbr"]  # rows 1.1 and 1.9


def test_a_summary_is_a_table_and_a_page(tmp_path):
    plan, _ = build(grid_of("smoke"))
    run = plan.runs_of(plan.settings_of("sweep")[0])[0]
    record = {"versions": {"torch": "2"}, "data": {"x": "9f"}}
    commands = ["prepare x", "train 'a b'"]
    details = [detail(run, commands, record)]
    rows = [{"system": "a<b", "bits": 0.12345}, {"system": "c", "bits": 2.0}]
    about = "sweep", "smoke", "Which values"
    write_summary(Summary(*about, "A note.", rows, details), tmp_path / "new")
    table = (tmp_path / "new/table.md").read_text()
    assert table == (
        "A note.\n\n| system | bits |\n| --- | --- |\n| a<b | 0.1235 |\n| c | 2.0000 |\n"
    )
    with open(tmp_path / "new/table.csv", encoding="utf-8") as file:
        assert [row["bits"] for row in csv.DictReader(file)] == ["0.12345", "2.0"]
    page = (tmp_path / "new/report.html").read_text()
    for text in ("a&lt;b", "train &#39;a b&#39;", "lr_0.004 / byte_dense / seed 1", "9f"):
        assert text in page


def test_hashes_of_a_table_are_of_it_and_its_list(tmp_path):
    for name in ("t.f16.npy.gz", "t.vocab.tsv", "other.npy"):
        write(tmp_path / name, name)
    assert list(data_hashes(str(tmp_path / "t.f16.npy.gz"))) == [
        "t.f16.npy.gz", "t.vocab.tsv"
    ]  # fmt: skip
    assert len(data_hashes(str(tmp_path))) == 3  # a model's folder


def test_a_fifth_of_the_words_is_misspelt():
    text = "some lengthy words\tof a  sentence \nanother sentence, shorter\n" * 200
    noised, changed, count = step.misspell_text(text, 0.2, seed=1)
    assert count == 9 * 200
    assert 0.17 * count < changed <= 0.2 * count
    assert step.misspell_text(text, 0.2, 1)[0] == noised != step.misspell_text(text, 0.2, 2)
    pairs = [
        (word, other)
        for line, other_line in zip(text.split("\n"), noised.split("\n"))
        for word, other in zip(line.split(), other_line.split())
    ]
    assert sum(word != other for word, other in pairs) == changed
    assert all(len(word) > 4 for word, other in pairs if word != other)


def test_short_words_are_no_more_than_they_are():
    assert step.misspell_text("a bc def ghij\n", 1.0, 1) == ("a bc def ghij\n", 0, 4)
    assert step.misspell_text("", 0.2, 1) == ("", 0, 0)


def test_bytes_that_are_no_text_stay(tmp_path, monkeypatch, capsys):
    (tmp_path / "clean").write_bytes(b"\xff a\r\nb\n")
    out = tmp_path / "new/noised"
    monkeypatch.setattr(sys, "argv", ["x", str(tmp_path / "clean"), "--out", str(out)])
    step.main()
    assert out.read_bytes() == b"\xff a\r\nb\n"
    assert "0 of 3 words misspelt" in capsys.readouterr().out
