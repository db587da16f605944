"""All experiments of the smoke profile, from the sample data to the reports."""

import csv
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from scripts.experiments.report.metrics import METRICS

from ..helpers import REPO, run
from .warm import warm_commands

pytest.importorskip("snakemake", reason="Snakemake 8 needs Python 3.11")
pytest.importorskip("transformers", reason="a small BERT is among them")
pytestmark = pytest.mark.long

# Experiment -> scores of a metric: systems x (columns and average).
SCORED = {
    "many_to_one": 4 * 3,
    "embeddingless": 2,
    "transfer_zero_shot": 2 * 2,
    "transfer_few_shot": 3,
    "cross_domain": 2 * 2,
    "composers": 3 * 3,
}
PROFILE = "scripts/experiments/profiles/smoke"


@pytest.fixture(scope="module")
def commands():
    """A folder to begin PATH with: ``python`` and what it runs, imported already."""
    # pytest's own folders have longer paths than a socket may have.
    with TemporaryDirectory() as folder, warm_commands(Path(folder)):
        yield folder


def snakemake(commands, work, *args):
    """Snakemake on the smoke profile with its work below ``work``, on this tree."""
    places = {"work": work, "data_root": work / "raw", "results": work / "results"}
    return run(
        *(sys.executable, "-m", "snakemake", "-s", "scripts/experiments/Snakefile"),
        *("--profile", PROFILE, "--nolock", *args),
        *("--config", *(f"{key}={path}" for key, path in places.items())),
        cwd=REPO,
        env={
            "PATH": f"{commands}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
            "PYTHONPATH": str(REPO),
        },
        # Half a minute on two free cores; the other tests run beside it.
        timeout=900,
    )


@pytest.fixture(scope="module")
def work(commands, tmp_path_factory):
    folder = tmp_path_factory.mktemp("smoke")
    snakemake(commands, folder)
    return folder


@pytest.mark.parametrize("experiment", SCORED)
def test_a_report_is_complete_and_self_contained(work, experiment):
    page = (work / "results" / experiment / "report.html").read_text("utf-8")
    wanted = [
        "Scores",
        "Trained to its end",
        "Size and speed",
        "Learning curves",
        "BLEU by source length",
        "Data",
    ]
    wanted += ["Where systems differ most", "Batches", "How each row was made"]
    if experiment == "many_to_one":
        wanted.append("Weights of the n-grams (ncf)")
    if experiment == "transfer_few_shot":
        wanted.append("Few-shot curves")
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert sorted(titles) == sorted(wanted)
    assert not re.search(r"(src|href)=|@import|url\(", re.sub(r'(url\(|href=")#', "", page))
    assert "tok:13a" in page
    assert re.search(r"fairseq-train .* --max-tokens \d+", page)
    assert re.search(r"fairseq-generate .* --score-reference", page)
    assert re.search(r"&#34;train\..*&#34;: &#34;[0-9a-f]{64}&#34;", page)


def table_of(work, experiment):
    with open(work / "results" / experiment / "table.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("experiment", "count"), SCORED.items())
def test_tables_have_every_score(work, experiment, count):
    rows = table_of(work, experiment)
    assert len(rows) == len(METRICS) * count
    assert all(0 <= float(row["score"]) <= 100 for row in rows)
    # Eight updates train nothing.
    assert {row["trained"] for row in rows} == {"no"}


@pytest.mark.parametrize("experiment", ["many_to_one", "transfer_zero_shot"])
def test_units_need_comparable_bits(work, experiment):
    """A model that knows nothing needs fewer than the 8 that bytes are stored in."""
    rows = [r for r in table_of(work, experiment) if r["metric"] == "bits_per_byte"]
    assert all(3 < float(row["score"]) < 8.5 for row in rows)


def test_a_sweep_marks_a_winner_of_each_system(work):
    rows = table_of(work, "sweep")
    assert [(row["system"], row["lr"]) for row in rows] == [
        (system, lr) for system in ("byte_dense", "subword") for lr in ("0.004", "0.001")
    ]
    assert [row["winner"] for row in rows].count("yes") == 2
    page = (work / "results/sweep/report.html").read_text("utf-8")
    assert re.search(r"fairseq-train .* --lr 0.001 .* --max-tokens \d+", page)


def test_approximations_of_every_table_and_loss(work):
    rows = table_of(work, "embedding_approximation")
    assert [(row["table"], row["noise-prob"], row["loss"]) for row in rows] == [
        ("sample", "0", "ce"),
        ("sample", "0", "ce + cos + l2 + nbr"),
        ("hybrid", "0.5", "ce + cos"),
        ("bert", "0", "ce + cos"),
    ]
    for name in ("accuracy", "mean_precision", "average_precision, misspelt"):
        assert all(0 <= float(row[name]) <= 1 for row in rows)


@pytest.mark.parametrize(
    ("experiment", "rows", "score"),
    [
        (
            "slots",
            [("words", "1"), ("words", "2"), ("words", "mean"), ("hit", "1")],
            "span_f1",
        ),
        ("intent", [("hit", "1")], "macro_f1"),
        ("slots_from_intent", [("hit", "1")] * 2, "span_f1"),
        (
            "slots_pretrained",
            [("elmo", "1"), ("char_rnn_masked", "1"), ("bert_hybrid_1_2_1", "1")],
            "span_f1",
        ),
    ],
)
def test_labels_have_every_score(work, experiment, rows, score):
    table = table_of(work, experiment)
    assert [(row["system"], row["seed"]) for row in table] == rows
    for row in table:
        assert all(0 <= float(row[f"{score}{kind}"]) <= 100 for kind in ("", ", misspelt"))
    page = (work / "results" / experiment / "report.html").read_text("utf-8")
    assert "bytefusion evaluate" in page
    assert page.count("<svg") == (4 if score == "span_f1" else 3)


@pytest.mark.parametrize("experiment", ["characters", "masked_pieces"])
def test_what_is_learned_before_a_task_has_its_last_validation(work, experiment):
    (row,) = table_of(work, experiment)
    assert row["updates"] == "4"
    assert float(row["loss"]) > 0 and 0 <= float(row["accuracy"]) <= 100


def test_language_models_have_perplexities(work):
    (row,) = table_of(work, "bilm")
    assert min(float(row[f"ppl_{way}"]) for way in ("forward", "backward")) > 1
    assert 0 <= float(row["unk"]) <= 100


def test_a_module_is_learned_again_behind_a_pre_trained_model(work):
    (row,) = table_of(work, "learned_again")
    assert (row["table"], row["loss"]) == ("bert", "ce + cos")
    page = (work / "results/learned_again/report.html").read_text("utf-8")
    assert (
        "--composer-from" in page and "masked_pieces/all/after_1/seed1/average.pt" in page
    )


def test_encoders_are_timed(work):
    text = (work / "results/composers/encoder.md").read_text("utf-8")
    assert re.search(r"^\| char2subword_learned \| \d+\.\d\d \|$", text, re.M)


def test_models_of_another_experiment_are_not_trained_again(work):
    assert not list((work / "cross_domain").rglob("trained.json"))
    trainings = (work / "results/cross_domain/trainings.csv").read_text("utf-8")
    assert trainings == "experiment,setting,system,seed,seconds,code\n"
    assert list((work / "cross_domain").rglob("second.log"))


def test_what_is_there_is_not_made_again(commands, work):
    result = snakemake(commands, work)
    assert b"Nothing to be done" in result.stdout + result.stderr


def test_what_was_lost_is_made_again_and_nothing_else(commands, work):
    run_dir = work / "transfer_zero_shot/hi/byte_dense/seed1"
    log = work / "cross_domain/hi/byte_dense/seed1/second.log"
    log.unlink()
    before = (run_dir / "trained.json").stat().st_mtime_ns
    snakemake(commands, work, str(log))
    assert log.exists()
    assert (run_dir / "trained.json").stat().st_mtime_ns == before


def test_a_mistake_in_a_profile_is_one_sentence(tmp_path):
    result = run(
        *(sys.executable, "-m", "snakemake", "-s", "scripts/experiments/Snakefile"),
        *("--profile", PROFILE, "--config", "max_token=3"),
        cwd=REPO,
        check=False,
    )
    assert result.returncode != 0
    message = (result.stdout + result.stderr).decode()
    assert "there is no key 'max_token'; choose from profile" in message
    assert "Traceback" not in message
