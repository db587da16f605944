"""Tables and charts from small logs and hand-made results."""

import csv
import io
import json
import re
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from scripts.experiments.pairs.plan import Column
from scripts.experiments.report import figures, table
from scripts.experiments.report.collect import Results, Row
from scripts.experiments.report.logs import decoding_time, read_training
from scripts.experiments.report.sentences import (
    Translations,
    bleu_by_length,
    most_different,
)

from .helpers import write


def line(kind, **stats):
    text = json.dumps({key: str(value) for key, value in stats.items()})
    return f"2026-01-01 00:00:00 | INFO | {kind} | {text}\n"


def valid(updates, nll, **more):
    return line("valid", valid_nll_loss=nll, valid_num_updates=updates, **more)


def inner(updates, bsz, seconds):
    return line("train_inner", num_updates=updates, bsz=bsz, train_wall=seconds)


def test_of_a_training_that_went_on_the_last_word_counts(tmp_path):
    log = write(
        tmp_path / "train.log",
        inner(10, 20, 5) + valid(10, 6.5, valid_ncf_lambda_1=0.25) + inner(20, 30, 5)
        + "Traceback: killed\n"
        + inner(20, 40, 10) + valid(20, 5.5, valid_ncf_lambda_1=0.5),
    )  # fmt: skip
    found = read_training(log)
    assert {u: v.nll for u, v in found.validations.items()} == {10: 6.5, 20: 5.5}
    assert found.validations[20].ngram_weights == {1: 0.5}
    assert found.batch_size == (10 * 20 + 10 * 40) / 20
    assert found.sentences_per_second == (10 * 20 + 10 * 40) / 15


def test_a_log_too_short_to_time(tmp_path):
    log = write(tmp_path / "train.log", inner(2, 8, 0) + valid(2, 6))
    assert read_training(log).sentences_per_second is None
    assert read_training(log).batch_size == 8


def test_a_log_without_validation_is_named(tmp_path):
    log = write(tmp_path / "train.log", "nothing\n")
    with pytest.raises(ValueError, match=r"train\.log holds no validation"):
        read_training(log)


def test_decoding_time(tmp_path):
    text = "INFO:x:Translated 1,024 sentences (3,120 tokens) in 2.5s (409.60 sentences/s)\n"
    assert decoding_time(write(tmp_path / "a", text)) == (1024, 2.5)
    with pytest.raises(ValueError, match="does not say how long"):
        decoding_time(write(tmp_path / "b", "Translated\n"))


def scored(bleu, p_value=None):
    cells = {}
    for metric in ("BLEU", "chrF2"):
        cells[metric] = {"score": bleu, "signature": f"{metric}|tok:13a"}
        if p_value is not None:
            cells[metric]["p_value"] = p_value
    return cells


@pytest.fixture
def results():
    """Two languages and one seen in training; subword better, ncf equal."""
    columns = [
        Column("all", "de", "de", True),
        Column("all", "fr", "fr", True),
        Column("all", "es", "es (seen)", False),
    ]
    numbers = {
        "byte_dense": [(10, None), (20, None), (30, None)],
        "byte_ncf_dense": [(10, 0.01), (20.5, 0.2), (31, 0.04)],
    }
    rows = []
    for system, cells in numbers.items():
        row = Row(system, 1, average=scored(sum(c[0] for c in cells[:2]) / 2, cells[1][1]))
        for column, cell in zip(columns, cells):
            row.scores[column.setting, column.test] = scored(*cell)
        row.parameters, row.decode_speed = 1234567, 12.34
        rows.append(row)
    spec = SimpleNamespace(baseline="byte_dense", updates=2400)
    return Results("many_to_one", spec, columns, rows, [], {})


def test_markdown(results):
    text = table.to_markdown(results)
    assert (
        "BLEU (`BLEU|tok:13a`)\n\n| system | seed | de | fr | es (seen) | average |" in text
    )
    assert "| byte_dense | 1 | 10.00 | 20.00 | 30.00 | 15.00 |" in text
    # A star for p < 0.05, none where the scores are equal or p is not small.
    assert "| byte_ncf_dense | 1 | 10.00 | 20.50 | 31.00\\* | 15.25 |" in text
    assert "| byte_dense | 1 | 1,234,567 | not measured | 12.3 sentences/s |" in text
    assert "Every system: 2400 updates. \\*: p < 0.05 against byte_dense" in text
    rows = [row for row in text.split("\n") if row.startswith("|")]
    assert len(rows) == 3 * 4


def test_csv_has_every_score(results):
    rows = list(csv.DictReader(io.StringIO(table.to_csv(results))))
    assert len(rows) == 2 * (3 + 1) * 2
    wanted = {"system": "byte_ncf_dense", "test": "es", "metric": "BLEU"}
    (row,) = [r for r in rows if wanted.items() <= r.items()]
    assert (row["score"], row["p_value"], row["seed"]) == ("31", "0.04", "1")


def test_a_chart_is_one_svg_in_the_pages_colour():
    svg = figures.line_chart([("a & b", "a", [1, 2], [3, 4])], "x", "y")
    root = ElementTree.fromstring(svg.replace("xlink:", ""))
    assert root.attrib.keys() == {"role", "viewBox"}
    assert "currentColor" in svg
    assert figures.INK not in svg
    assert "a &amp; b" in svg
    assert not re.search(r"https?:", svg)


SENTENCES = Translations(
    "de",
    "set",
    ["a" * n for n in (1, 2, 3, 4, 5, 6, 7, 8)],
    [f"the cat number {n} sat on a mat" for n in range(8)],
    {
        "one": [f"the cat number {n} sat on a mat" for n in range(8)],
        "two": ["the cat number 0 sat on a mat"] * 7 + ["nothing of the kind"],
    },
)


def test_bleu_by_length():
    labels, scores = bleu_by_length([SENTENCES])
    assert labels == ["1–2", "3–4", "5–6", "7–8"]
    assert scores["one"] == pytest.approx([100] * 4)
    assert scores["two"][3] < scores["two"][1] < scores["two"][0] < 100


def test_bleu_by_length_of_sentences_of_one_length():
    one = Translations("de", "set", ["ab"] * 3, ["x"] * 3, {"s": ["x"] * 3})
    labels, scores = bleu_by_length([one])
    assert labels == ["2–2"]
    assert len(scores["s"]) == 1


def test_examples_are_those_that_differ_most():
    first, second = most_different([SENTENCES], 2)
    assert first.source == "a" * 8
    assert first.outputs["two"][0] == "nothing of the kind"
    assert first.spread > second.spread > 0
