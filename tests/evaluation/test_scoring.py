import json
import re
import subprocess
import sys

import pytest
from fairseq.scoring import build_scorer

from fairseq_bytefusion.evaluation import System, score_systems
from fairseq_bytefusion.evaluation.report import format_examples, format_scores

from ..helpers import REPO

REFERENCES = (
    (REPO / "data_prep/sample/test.hinglish-en.en").read_text("utf-8").split("\n")[:60]
)
GOOD = [r.replace("the ", "a ") for r in REFERENCES]
BAD = [" ".join(reversed(r.split())) for r in REFERENCES]


@pytest.fixture
def files(tmp_path):
    paths = {}
    for name, lines in (("ref", REFERENCES), ("good", GOOD), ("bad", BAD)):
        paths[name] = tmp_path / name
        paths[name].write_bytes("".join(f"{line}\n" for line in lines).encode())
    return paths


def sacrebleu(files, *args):
    command = [sys.executable, "-m", "sacrebleu", str(files["ref"]), "-w", "6", *args]
    found = subprocess.run(command, check=True, capture_output=True, timeout=120)
    return found.stdout.decode("utf-8")


def test_scores_equal_the_sacrebleu_command(files):
    (row,) = score_systems([System("good", GOOD)], REFERENCES)
    theirs = json.loads(sacrebleu(files, "-i", str(files["good"]), "-m", "bleu", "chrf"))
    for name, expected in zip(("BLEU", "chrF2"), theirs):
        assert row[name]["score"] == pytest.approx(expected["score"], abs=1e-5)
        assert row[name]["signature"] == expected["signature"]


def test_significance_equals_the_sacrebleu_command(files):
    rows = score_systems([System("good", GOOD), System("bad", BAD)], REFERENCES, 200)
    theirs = sacrebleu(
        files,
        *("-i", str(files["good"]), str(files["bad"]), "-m", "bleu", "chrf"),
        *("--paired-bs", "--paired-bs-n", "200", "--format", "text"),
    )
    cells = re.findall(r"([0-9.]+) \(([0-9.]+) ± ([0-9.]+)\)", theirs)
    ours = [row[name] for row in rows for name in ("BLEU", "chrF2")]
    for score, cell in zip(ours, cells):
        found = [score["score"], score["mean"], score["ci"]]
        assert found == pytest.approx(list(map(float, cell)), abs=1e-5)
    p_values = [float(p) for p in re.findall(r"\(p = ([0-9.]+)\)", theirs)]
    assert [score.get("p_value") for score in ours[2:]] == pytest.approx(p_values, abs=1e-4)
    assert "p_value" not in rows[0]["BLEU"]
    assert rows[1]["BLEU"]["p_value"] < 0.05
    assert rows[0]["BLEU"]["signature"] in theirs
    json.dumps(rows)


def test_bleu_equals_fairseqs_scorer():
    scorer = build_scorer_for_sacrebleu()
    for reference, hypothesis in zip(REFERENCES, GOOD):
        scorer.add_string(reference, hypothesis)
    (row,) = score_systems([System("good", GOOD)], REFERENCES)
    assert row["BLEU"]["score"] == pytest.approx(scorer.score(), abs=1e-6)


def build_scorer_for_sacrebleu():
    from fairseq.scoring.bleu import SacrebleuConfig
    from omegaconf import OmegaConf

    cfg = OmegaConf.structured(SacrebleuConfig())
    cfg._name = "sacrebleu"
    return build_scorer(cfg, None)


@pytest.mark.parametrize(
    ("systems", "references", "message"),
    [
        ([System("a", ["x"])], ["x", "y"], "a has 1 sentences, the reference has 2"),
        ([System("a", ["x"]), System("a", ["y"])], ["x"], "the same name"),
        ([System("a", [])], [], "nothing to score"),
    ],
)
def test_what_cannot_be_scored(systems, references, message):
    with pytest.raises(ValueError, match=message):
        score_systems(systems, references)


def test_empty_and_odd_hypotheses_can_be_scored():
    (row,) = score_systems([System("a", ["", "\u2028", "a\tb"])], ["x", "y", "a b"])
    assert 0 <= row["BLEU"]["score"] <= 100


def test_report_of_one_system():
    text = format_scores(score_systems([System("good", GOOD)], REFERENCES))
    assert "tok:13a" in text
    assert text.count("signature: nrefs:1|") == 2
    assert text.startswith("BLEU = ")
    assert "ratio = " in text
    assert "\nchrF2 = " in text


def test_report_of_two_systems():
    rows = score_systems([System("good", GOOD), System("bad", BAD)], REFERENCES, 100)
    text = format_scores(rows)
    assert "|bs:100|" in text
    assert "p = " in text.split("\n")[1]
    assert text.split("\n")[1].count("*") == 2
    assert "Baseline: good." in text


def test_examples_are_spread_over_the_set():
    text = format_examples(list("abcdef"), list("ABCDEF"), 2, list("uvwxyz"))
    assert text.split("\n") == [
        "sentence 2 of 6",
        "  source      v",
        "  translation b",
        "  reference   B",
        "sentence 5 of 6",
        "  source      y",
        "  translation e",
        "  reference   E",
    ]
    assert format_examples(["a"], ["A"], 5).count("sentence") == 1
