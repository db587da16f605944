"""Verdicts on claims from files of results, and the page of the committed ones."""

import json

import pytest
import yaml

from scripts.experiments.claims.claim import Claim, read_claims
from scripts.experiments.claims.evidence import SOONER, judge
from scripts.experiments.claims.page import render
from scripts.experiments.report import csv_files

from ..helpers import REPO, script
from .helpers import build, grid_of, write
from .results import results, row

ABOUT = {"paper": "A", "where": "table 1", "says": "x is better"}
SCORES = Claim(**ABOUT, measure="scores", experiment="e", system="subword", other="char")
SPEED = Claim(**ABOUT, measure="speed", experiment="e", system="subword", other="char")
TABLE = Claim(**ABOUT, measure="table", file="t.md", group="of", row={"loss": "all"},
              column="precision")  # fmt: skip


def compared(folder, *rows):
    write(folder / "e/comparisons.csv", csv_files.comparisons(results(*rows)))


def pair(seed, mine, other, **lacks):
    """Rows of a seed with these averages; both are far from the baseline."""
    return [
        row("byte_dense", seed, [90, 90]),
        row("char", seed, [other, other]),
        row("subword", seed, [mine, mine], **lacks),
    ]


@pytest.mark.parametrize(
    ("rows", "measured", "found"),
    [
        ([*pair(1, 21, 20)], "BLEU 21.00 against 20.00", "confirmed (one seed)"),
        ([*pair(1, 19, 20)], "BLEU 19.00 against 20.00", "refuted (one seed)"),
        ([*pair(1, 21, 20), *pair(2, 22, 20)], "BLEU 21.00 / 22.00 against 20.00 / 20.00",
         "confirmed"),
        ([*pair(1, 19, 20), *pair(2, 18, 20)], "BLEU 19.00 / 18.00 against 20.00 / 20.00",
         "refuted"),
        ([*pair(1, 21, 20), *pair(2, 19, 20)], "BLEU 21.00 / 19.00 against 20.00 / 20.00",
         "undecided: comparisons disagree"),
        ([*pair(1, 21, 20), *pair(2, 20.01, 20)],
         "BLEU 21.00 / 20.01 against 20.00 / 20.00", "undecided: comparisons disagree"),
        ([*pair(1, 20.01, 20)], "BLEU 20.01 against 20.00",
         "undecided: no clear difference"),
        ([*pair(1, 21, 20, gain=0.5)], "BLEU 21.00 against 20.00",
         "undecided: not trained to its end"),
        ([row("byte_dense", 1, [9, 9]), row("char", 1, [8, 8])], "", "not measured yet"),
    ],
)  # fmt: skip
def test_scores(tmp_path, rows, measured, found):
    compared(tmp_path, *rows)
    verdict = judge(SCORES, tmp_path)
    assert (verdict.measured, verdict.found) == (measured, found)


def test_without_an_average_every_test_set_must_say_so(tmp_path):
    rows = [row("char", 1, [20, 20]), row("byte_dense", 1, [90, 90])]
    for values, found in (([21, 22], "confirmed (one seed)"),
                          ([21, 19], "undecided: comparisons disagree")):  # fmt: skip
        compared(tmp_path, *rows, row("subword", 1, values))
        path = tmp_path / "e/comparisons.csv"
        kept = [line for line in path.read_text().split("\n") if ",average," not in line]
        write(path, "\n".join(kept))
        verdict = judge(SCORES, tmp_path)
        assert verdict.found == found
        assert verdict.measured.endswith("against 20.00, mean of 2 test sets")


def curves(folder, **bits):
    """curves.csv of systems' losses after 100, 200 ... updates, for each seed."""
    lines = ["experiment,setting,system,seed,updates,seconds,bits_per_byte"]
    for name, values in bits.items():
        system, seed = name.split("_")
        lines += [f"e,all,{system},{seed},{k * 100},,{b}" for k, b in enumerate(values, 1)]
    write(folder / "e/curves.csv", "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("bits", "measured", "found"),
    [
        ({"subword_1": [3, 2, 1, 1], "char_1": [4, 3, 2, 2]}, "200 of 400",
         "confirmed (one seed)"),
        ({"subword_1": [4, 3, 2, 2], "char_1": [3, 2, 1, 1]}, "not of 400",
         "refuted (one seed)"),
        ({"subword_1": [4, 3, 3, 2], "char_1": [4, 3, 3, 2]}, "400 of 400",
         "undecided: no clear difference"),
        ({"subword_1": [3, 2, 1, 1], "char_1": [4, 3, 2, 2], "subword_2": [4, 3, 2, 2],
          "char_2": [3, 2, 1, 1]}, "200 of 400, not of 400",
         "undecided: comparisons disagree"),
        ({"char_1": [3, 2]}, None, "not measured yet"),
    ],
)  # fmt: skip
def test_speed(tmp_path, bits, measured, found):
    curves(tmp_path, **bits)
    verdict = judge(SPEED, tmp_path)
    assert verdict.found == found
    expected = f"the best loss of char after {measured} updates" if measured else ""
    assert verdict.measured == expected
    assert SOONER == 0.8


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["A | one | 0.1", "A | all | 0.2", "A | two | 0.15"], "confirmed (one seed)"),
        (["A | one | 0.1", "A | all | 0.2", "A | two | 0.3"], "refuted (one seed)"),
        (["A | one | 0.1", "A | all | 0.2", "B | one | 0.2", "B | all | 0.1"],
         "undecided: comparisons disagree"),
        (["A | one | 0.1"], "not measured yet"),
        ([], "not measured yet"),
    ],
)  # fmt: skip
def test_table(tmp_path, cells, found):
    lines = [
        "| of | loss | precision |",
        "| --- | --- | --- |",
        *(f"| {c} |" for c in cells),
    ]
    write(tmp_path / "t.md", "#### Title\n\n" + "\n".join(lines) + "\n")
    assert judge(TABLE, tmp_path).found == found


def test_a_table_may_compare_two_rows(tmp_path):
    text = "| of | loss | precision |\n|---|---|---|\n| A | all | 2 |\n| A | one | 1 |\n"
    write(tmp_path / "t.md", text + "| A | two | 3 |\n")
    claim = Claim(**{**vars(TABLE), "other": {"loss": "one"}})
    assert judge(claim, tmp_path).measured == "precision, A: 2 against 1"
    assert judge(claim, tmp_path).found == "confirmed (one seed)"


def test_the_small_profile_has_what_the_claims_are_about():
    grid = build(grid_of("small"))[0].grid
    for claim in read_claims():
        place = claim.experiment or claim.file.split("/")[0]
        assert place in grid.experiments, claim.says
        for system in (claim.system, claim.other) if claim.experiment else ():
            assert system in grid.systems, claim.says


def test_claims_about_tables_find_their_rows(tmp_path):
    """In the tables of the small profile, as its reports write them."""
    plan, commands = build({**grid_of("small"), "work": str(tmp_path / "work")})
    names = "accuracy", "precision@1", "precision@15", "mean_precision", "average_precision"
    record = {"command": [], "versions": {}, "data": {}, "seconds": 1}
    tables = [claim for claim in read_claims() if claim.measure == "table"]
    for name in {claim.file.split("/")[0] for claim in tables}:
        for number, run in enumerate(
            run for s in plan.settings_of(name) for run in plan.runs_of(s)
        ):
            folder = commands.run_dir(run)
            write(f"{folder}/trained.json", json.dumps(record))
            lines = (
                f"x | {subset} | "
                + json.dumps({f"{subset}_{n}": str(number / 100) for n in names})
                for subset in ("clean", "noised")
            )
            write(f"{folder}/train.log", "\n".join(lines))
            for test in run.setting.tests:
                share = 0.9 if run.system == "hit" else number / 100
                scores = dict.fromkeys(("macro_f1", "span_f1"), share)
                write(f"{folder}/{test.name}.scores.json", json.dumps(scores))
        counts = {"words": 9, "changeable": 5, "misspelt": 2}
        write(f"{plan.grid.work}/data/{name}/misspelt.json", json.dumps(counts))
        plan.grid.experiments[name].write_report(plan, tmp_path / name)
    for claim in tables:
        seeds = "" if claim.group == "seed" else " (one seed)"
        assert judge(claim, tmp_path).found == f"confirmed{seeds}", claim.says


def test_nothing_is_measured_yet(tmp_path):
    page = render(read_claims(), tmp_path)
    assert page.count("**not measured yet** |") == len(read_claims())


def test_the_page_of_the_results_is_what_the_command_writes(tmp_path):
    page = REPO / "results/README.md"
    assert page.read_text("utf-8") == render(read_claims(), REPO / "results")
    script("scripts/experiments/claims/page.py", tmp_path / "new")
    assert (
        (tmp_path / "new/README.md").read_text("utf-8").startswith("# What the papers say")
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"measure": "x"}, "measure 'x': choose from scores, speed, table"),
        ({"system": None}, "the key system is missing"),
        (
            {"column": "x"},
            "there is no key 'column'; choose from paper, where, says, measure",
        ),
    ],
)
def test_a_mistake_in_a_claim_is_one_sentence(tmp_path, change, message):
    keys = {**ABOUT, "measure": "scores", "experiment": "e", "system": "a", "other": "b"}
    keys = {k: v for k, v in {**keys, **change}.items() if v is not None}
    path = write(tmp_path / "claims.yaml", yaml.safe_dump([keys]))
    with pytest.raises(ValueError, match=r"claims\.yaml: claim 1: " + message):
        read_claims(path)
