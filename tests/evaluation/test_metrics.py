"""Every metric, tokenizer and number of references, against the sacrebleu command."""

import json
import re
import subprocess
import sys

import pytest

from fairseq_bytefusion import cli
from fairseq_bytefusion.evaluation import System, score_systems
from fairseq_bytefusion.evaluation import metrics as metrics_module
from fairseq_bytefusion.evaluation.macro_average import score_test_sets
from fairseq_bytefusion.evaluation.metrics import METRICS, TOKENIZERS, check_metrics
from fairseq_bytefusion.evaluation.report import format_examples, format_scores

from .test_scoring import BAD, GOOD, REFERENCES, files  # noqa: F401

# Another reference, with an empty line.
SECOND = [r.replace("to ", "for ") if i != 7 else "" for i, r in enumerate(REFERENCES)]
OURS = list(METRICS)
# The sacrebleu command has chrF++ by a flag, in place of chrF2.
COMMANDS = (("-m", "bleu", "chrf", "ter"), ("-m", "chrf", "--chrf-word-order", "2"))
SEVERAL = [REFERENCES, SECOND]


@pytest.fixture
def second(files):  # noqa: F811
    files["second"] = files["ref"].with_name("second")
    files["second"].write_bytes("".join(f"{line}\n" for line in SECOND).encode())
    return files


def sacrebleu(paths, *args):
    """What the sacrebleu command prints of two references."""
    refs = (str(paths["ref"]), str(paths["second"]))
    command = [sys.executable, "-m", "sacrebleu", *refs, "-w", "6", *args]
    found = subprocess.run(command, check=True, capture_output=True, timeout=120)
    return found.stdout.decode("utf-8")


def theirs(paths, *flags):
    """What it says of good translations: name -> dict."""
    found = []
    for command in COMMANDS:
        printed = json.loads(sacrebleu(paths, "-i", str(paths["good"]), *command, *flags))
        found += printed if isinstance(printed, list) else [printed]
    return {score["name"]: score for score in found}


def test_all_metrics_of_several_references_with_intervals(second):
    expected = theirs(second, "--tokenize", "intl", "--confidence", "--confidence-n", "50")
    (row,) = score_systems(
        [System("good", GOOD)], SEVERAL, 50, OURS, tokenize="intl", confidence=True
    )
    assert list(row) == ["system", "BLEU", "chrF2", "chrF2++", "TER"]
    for name in list(row)[1:]:
        wanted = expected[name]
        assert row[name]["signature"] == wanted["signature"], name
        assert row[name]["signature"].startswith("nrefs:2|bs:50|seed:12345|")
        found = [row[name][key] for key in ("score", "mean", "ci")]
        keys = ("score", "confidence_mean", "confidence_var")
        assert found == pytest.approx([wanted[key] for key in keys], abs=1e-5), name
        assert 0 < row[name]["ci"] < 10
    assert "tok:intl" in row["BLEU"]["signature"]
    assert "tok:tercom" in row["TER"]["signature"]
    text = format_scores([row])
    assert text.count(f"(μ = {row['BLEU']['mean']:.2f} ± {row['BLEU']['ci']:.2f})") == 1
    assert text.count("(μ = ") == text.count("|bs:50|") == 4
    json.dumps(row)


def test_without_confidence_there_is_no_interval(second):
    (row,) = score_systems([System("good", GOOD)], SEVERAL, metrics=["ter", "chrf"])
    assert list(row) == ["system", "TER", "chrF2"]
    assert row["TER"].keys() == {"score", "text", "signature"}
    assert "bs:" not in row["TER"]["signature"]


# ja-mecab and ko-mecab are extras, the last four download a model.
@pytest.mark.parametrize("tokenize", ["none", "zh", "13a", "intl", "char"])
def test_tokenizers_are_those_of_the_sacrebleu_command(second, tokenize):
    args = ("-i", str(second["good"]), "-m", "bleu", "--tokenize", tokenize)
    expected = json.loads(sacrebleu(second, *args))
    options = {"metrics": ["bleu"], "tokenize": tokenize}
    (row,) = score_systems([System("good", GOOD)], SEVERAL, **options)
    assert row["BLEU"]["score"] == pytest.approx(expected["score"], abs=1e-5)
    assert row["BLEU"]["signature"] == expected["signature"]
    assert f"tok:{tokenize}|" in expected["signature"]


def test_paired_tests_of_all_metrics_equal_the_sacrebleu_command(second):
    systems = [System("good", GOOD), System("bad", BAD)]
    rows = score_systems(systems, SEVERAL, 60, OURS)
    paths = ("-i", str(second["good"]), str(second["bad"]))
    flags = ("--paired-bs", "--paired-bs-n", "60", "--format", "text")
    for command, names in zip(COMMANDS, (("BLEU", "chrF2", "TER"), ("chrF2++",))):
        text = sacrebleu(second, *paths, *command, *flags)
        cells = re.findall(r"([0-9.]+) \(([0-9.]+) ± ([0-9.]+)\)", text)
        ours = [row[name] for row in rows for name in names]
        assert len(cells) == len(ours)
        for score, cell in zip(ours, cells):
            found = [score["score"], score["mean"], score["ci"]]
            assert found == pytest.approx(list(map(float, cell)), abs=1e-5)
        p_values = [float(p) for p in re.findall(r"\(p = ([0-9.]+)\)", text)]
        found = [rows[1][name]["p_value"] for name in names]
        assert found == pytest.approx(p_values, abs=1e-4)
        for name in names:
            assert rows[0][name]["signature"] in text
    printed = format_scores(rows)
    assert printed.count("signature: nrefs:2|") == printed.count("(p = ") == 4


def test_the_average_of_one_set_is_that_set_for_all_metrics():
    for systems in ([System("a", GOOD)], [System("a", GOOD), System("b", BAD)]):
        options = {
            "num_bootstrap": 40, "metrics": OURS, "tokenize": "char",
            "confidence": len(systems) == 1,
        }  # fmt: skip
        scores = score_test_sets({"de": (systems, SEVERAL)}, ["de"], **options)
        expected = score_systems(systems, SEVERAL, **options)
        assert scores["sets"]["de"] == expected
        for row, wanted in zip(scores["average"], expected):
            assert list(row) == list(wanted)
            for name in list(row)[1:]:
                for key in ("score", "mean", "ci", "p_value"):
                    value = wanted[name].get(key)
                    assert row[name].get(key) == pytest.approx(value), (name, key)
                assert row[name]["signature"].endswith(wanted[name]["signature"])


def test_examples_show_every_reference():
    text = format_examples(["t"], [["one"], ["two"]], 1)
    assert text.endswith("  translation t\n  reference   one\n  reference   two")


# --- bad input ---------------------------------------------------------------------------


@pytest.mark.parametrize("tokenize", ["ja-mecab", "ko-mecab", "flores200"])
def test_a_tokenizer_that_is_not_there_is_one_sentence(monkeypatch, tokenize):
    def build(**options):
        assert options["tokenize"] == tokenize
        raise RuntimeError("\nIt needs an extra.\n\n    pip install it\n")

    monkeypatch.setitem(metrics_module.METRICS, "bleu", ("BLEU", build))
    message = f"--tokenize {tokenize} cannot be used: It needs an extra. pip install it"
    with pytest.raises(ValueError, match=f"^{message}$"):
        score_systems([System("a", GOOD)], REFERENCES, tokenize=tokenize)


def test_every_known_name_is_one_choice():
    for metric in METRICS:
        check_metrics([metric])
    for tokenize in TOKENIZERS:
        check_metrics(["ter", "bleu"], tokenize)


# --- the command -------------------------------------------------------------------------


def lines_of(capsys, *args):
    assert cli.main(["score", *map(str, args)]) == 0
    return capsys.readouterr().out


def test_ways_to_write_the_flags(second, capsys):
    hyp, refs = ("--hyp", second["good"]), (second["ref"], second["second"])
    expected = lines_of(capsys, *hyp, "--ref", *refs, "--metrics", "ter,bleu")
    assert re.findall(r"^(\w+) = ", expected, re.MULTILINE) == ["TER", "BLEU"]
    assert expected.count("nrefs:2") == 2
    apart = ("--ref", refs[0], "--ref", refs[1])
    for args in (("--ref", *refs, "-m", "ter", "bleu"), (*apart, "-m", "ter", "bleu")):
        assert lines_of(capsys, *hyp, *args) == expected
    both = lines_of(
        capsys, *hyp, "--hyp", second["bad"], "--ref", *refs, "--num-bootstrap", 9
    )
    assert both.count("(p = ") == 2


def test_json_has_all_metrics_and_intervals(second, capsys):
    args = ("--hyp", second["good"], "--ref", second["ref"], "-ci", "--num-bootstrap", "20")
    (row,) = json.loads(lines_of(capsys, *args, "--metrics", "chrf++,ter", "--json"))
    assert list(row) == ["system", "chrF2++", "TER"]
    for name in ("chrF2++", "TER"):
        assert row[name].keys() == {"score", "text", "signature", "mean", "ci"}
    assert "nw:2" in row["chrF2++"]["signature"]


def test_several_test_sets_with_several_references(second, capsys):
    folder = second["ref"].parent
    for name in ("de", "fr"):
        for kind, source in (("hyp", "good"), ("a", "ref"), ("b", "second")):
            (folder / f"{kind}.{name}").write_bytes(second[source].read_bytes())
    args = ("--each", "de,fr", "--hyp", folder / "hyp.{}", "-m", "bleu", "ter")
    text = lines_of(capsys, *args, "--ref", folder / "a.{}", folder / "b.{}", "-ci",
                    "--num-bootstrap", "20")  # fmt: skip
    assert text.count("nrefs:2|bs:20") == 6  # two sets and the average, two metrics
    assert text.count("(μ = ") == 4
    assert len(re.findall(r" \[[0-9.]+ ± [0-9.]+\]", text.split("== average")[1])) == 2
    one_each = ("--ref", folder / "a.de", folder / "b.fr")
    assert lines_of(capsys, *args, *one_each).count("nrefs:1|") == 6
