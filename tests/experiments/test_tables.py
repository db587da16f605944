"""Tables: marks of one seed and of all, rows that are not compared, files of numbers."""

import csv
import io
from types import SimpleNamespace

import pytest

from scripts.experiments.pairs.plan import Column
from scripts.experiments.report import csv_files, table
from scripts.experiments.report.metrics import METRICS, SIGNIFICANT
from scripts.experiments.report.outcomes import BETTER, UNCLEAR, WORSE, agreed, outcome

from .results import results, row

BASE = [row("byte_dense", 1, [20, 22]), row("byte_dense", 2, [20, 23])]


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def bleu(*rows, metric="BLEU"):
    """(system, seed) -> cells of the table of a metric."""
    _, found = table.score_rows(results(*BASE, *rows), metric)
    return {(cells[0], cells[1]): cells[2:] for cells in found}


@pytest.mark.parametrize(
    ("metric", "score", "p_value", "expected"),
    [
        ("BLEU", 21, 0.01, BETTER),
        ("BLEU", 19, 0.01, WORSE),
        ("BLEU", 21, SIGNIFICANT, UNCLEAR),
        ("BLEU", 20, 0.01, UNCLEAR),  # equal: the p-value means nothing
        ("BLEU", 21, None, UNCLEAR),
        ("bits_per_byte", 21, 0.01, WORSE),
        ("bits_per_byte", 19, 0.01, BETTER),
        ("unseen_words", 21, 0.01, BETTER),
    ],
)
def test_outcome_of_a_seed(metric, score, p_value, expected):
    assert outcome(metric, score, 20, p_value) == expected


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([BETTER], BETTER),
        ([BETTER, BETTER], BETTER),
        ([WORSE, WORSE], WORSE),
        ([BETTER, UNCLEAR], UNCLEAR),
        ([BETTER, WORSE], UNCLEAR),
        ([UNCLEAR, UNCLEAR], UNCLEAR),
    ],
)
def test_seeds_agree_or_not(outcomes, expected):
    assert agreed(outcomes) == expected


def test_every_seed_has_a_star_and_all_of_them_a_dagger():
    found = bleu(row("subword", 1, [21, 24]), row("subword", 2, [22, 23.0]))
    assert found["subword", "1"] == ["21.00*", "24.00*", "22.50*"]
    assert found["subword", "2"] == ["22.00*", "23.00", "22.50*"]  # fr: equal
    assert found["subword", "mean"] == ["21.50†", "23.50", "22.50†"]
    assert found["byte_dense", "mean"] == ["20.00", "22.50", "21.25"]


def test_opposite_directions_confirm_nothing():
    found = bleu(row("subword", 1, [21, 24]), row("subword", 2, [19, 24]))
    assert found["subword", "2"] == ["19.00*", "24.00*", "21.50"]
    assert found["subword", "mean"] == ["20.00", "24.00†", "22.00"]


def test_a_difference_as_large_as_chance_has_no_star():
    found = bleu(row("subword", 1, [21, 24], spread=9))
    assert found["subword", "1"] == ["21.00", "24.00", "22.50"]
    assert ("subword", "mean") not in found  # of one seed


@pytest.mark.parametrize("lacks", [{"gain": 0.01}, {"bleu": 11.9}])
def test_a_row_that_is_not_trained_to_its_end_is_not_compared(lacks):
    other = [row("subword", 1, [21, 24], **lacks), row("subword", 2, [22, 24])]
    found = bleu(*other)
    assert found["subword ‡", "1"] == ["21.00", "24.00", "22.50"]
    assert found["subword", "2"] == ["22.00*", "24.00*", "23.00*"]
    assert found["subword", "mean"] == ["21.50", "24.00", "22.75"]
    text = table.to_markdown(results(*BASE, *other))
    assert "‡: not trained to its end, so not compared" in text
    assert "†: confirmed, every seed differs from byte_dense of that seed so" in text


def test_nothing_is_compared_with_a_baseline_that_is_not():
    base = row("byte_dense", 1, [20, 22], gain=0.5)
    _, found = table.score_rows(results(base, row("subword", 1, [30, 32])), "BLEU")
    assert found[1] == ["subword", "1", "30.00", "32.00", "31.00"]


def test_less_bits_are_better():
    found = bleu(row("subword", 1, [21, 24]), metric="bits_per_byte")
    assert found["subword", "1"] == ["7.900*", "7.600*", "7.750*"]


def test_a_test_set_without_unseen_words_has_no_score():
    made = row("subword", 1, [21, 24])
    made.scores["all", "de"]["unseen_words"]["score"] = None
    assert bleu(made, metric="unseen_words")["subword", "1"][:2] == ["none", "24.0*"]


def test_markdown():
    made = row("subword", 1, [21, 24])
    made.at_limit, made.translated, made.unknown = 3, 400, 7
    made.limits += [(1.25, 10), (1.5, 9)]
    made.train_seconds = 1234.5
    text = table.to_markdown(results(BASE[0], made))
    assert "BLEU (`BLEU|tok:13a`)\n\n| system | seed | de | fr | average |" in text
    assert "| subword | 1 | 21.00\\* | 24.00\\* | 22.50\\* |" in text
    assert "Every system: 2400 updates. \\*: p < 0.05 against byte_dense" in text
    assert "each one symbol and so cheap in bits: subword 7." in text
    assert "| byte_dense | 1 | 0.1% | 20.00 | yes |" in text
    sizes = "| subword | 1 | 1,234,567 | 1,234 s | not measured | 12.3 sentences/s |"
    assert f"{sizes} 1.25–2 x source + 9–10 | 3 of 400 |" in text
    assert (
        "not measured | not measured | 12.3 sentences/s | 2 x source + 10 | 0 of 0" in text
    )
    assert "‡" not in text
    assert "†" not in text  # of one seed
    rows = [line for line in text.split("\n") if line.startswith("|")]
    assert len(rows) == (len(METRICS) + 2) * 4


def test_seen_languages_are_said_to_be():
    columns = [Column("all", "de", "de", True), Column("all", "fr", "fr (seen)", False)]
    found = results(*BASE, columns=columns)
    assert table.score_rows(found, "BLEU")[0] == ["system", "seed", "de", "fr (seen)"]
    assert "(seen): the training's own language" in table.to_markdown(found)


def test_csv_has_every_score():
    made = results(*BASE, row("subword", 1, [21, 24], gain=0.3))
    rows = read(csv_files.scores(made))
    assert len(rows) == 3 * 3 * len(METRICS)
    wanted = {"system": "subword", "test": "fr", "metric": "BLEU"}
    (found,) = [r for r in rows if wanted.items() <= r.items()]
    assert (found["score"], found["seed"], found["trained"]) == ("24", "1", "no")
    assert float(found["p_value"]) < SIGNIFICANT


def test_csv_has_every_pair_of_a_seed():
    made = results(*BASE, row("subword", 1, [21, 24]), row("char", 1, [19, 21]))
    rows = read(csv_files.comparisons(made))
    pairs = {(r["seed"], r["system"], r["other"]) for r in rows}
    assert pairs == {
        ("1", "byte_dense", "subword"),
        ("1", "byte_dense", "char"),
        ("1", "subword", "char"),
    }
    assert len(rows) == len(pairs) * 3 * len(METRICS)
    assert all(float(r["p_value"]) < SIGNIFICANT for r in rows)


def test_csv_has_every_validation():
    run = SimpleNamespace(setting=SimpleNamespace(name="all"), system="char", seed=1)
    log = SimpleNamespace(seconds={10: 2.5})
    training = SimpleNamespace(run=run, log=log, bits_per_byte={10: 3.0, 20: 2.0})
    rows = read(csv_files.curves(results(*BASE, trainings=[training])))
    assert [(r["updates"], r["seconds"], r["bits_per_byte"]) for r in rows] == [
        ("10", "2.5", "3.0"), ("20", "", "2.0")
    ]  # fmt: skip


def test_trainings_that_ended_early_are_told():
    trainings = [SimpleNamespace(bits_per_byte={800: 2.0, u: 1.5}) for u in (1600, 2400)]
    text = table.to_markdown(results(*BASE, trainings=trainings))
    assert "Every system: at most 2400 updates, and at least 1600. " in text
