import json
import os
import re

import pytest

from fairseq_bytefusion import cli

from ..helpers import USER_DIR, bytefusion


@pytest.fixture
def files(tmp_path):
    (tmp_path / "ref").write_text("the cat sat on the mat\na b c d e\n", "utf-8")
    (tmp_path / "one").write_text("the cat sat on a mat\na b c d e\n", "utf-8")
    (tmp_path / "two").write_text("the dog sat on the mat\na b c d\n", "utf-8")
    (tmp_path / "log").write_text(
        "S-1\t♥\nT-1\ta b c d e\nD-1\t-1.0\ta b c d e\n"
        "S-0\tx\nT-0\tthe cat sat on the mat\nD-0\t-1.0\tthe cat sat on a mat\n",
        "utf-8",
    )
    (tmp_path / "other").write_text(
        "S-1\tu v\nT-1\tx y\nD-1\t-1.0\tx\nS-0\tw\nT-0\tz\nD-0\t-1.0\tz\n", "utf-8"
    )
    (tmp_path / "three").write_text("a\nb\nc\n", "utf-8")
    return tmp_path


def test_path(capsys):
    assert cli.main(["path"]) == 0
    assert capsys.readouterr().out == f"{USER_DIR}\n"


def test_path_prints_one_line_from_anywhere(tmp_path):
    result = bytefusion("path", cwd=tmp_path, env={"PYTHONPATH": str(USER_DIR.parent)})
    assert result.stdout.decode().strip() == str(USER_DIR)
    assert os.path.isdir(result.stdout.decode().strip())


def score(files, *args):
    return ["score", *[str(files / a) if (files / a).exists() else a for a in args]]


def test_score_of_a_log_equals_that_of_a_plain_file(files, capsys):
    assert cli.main(score(files, "--hyp", "one", "--ref", "ref")) == 0
    plain = capsys.readouterr().out
    assert cli.main(score(files, "--hyp", "log")) == 0
    assert capsys.readouterr().out == plain
    assert plain.startswith("BLEU = ")
    assert "tok:13a" in plain


def test_score_of_two_systems(files, capsys):
    args = ("--hyp", "one", "two", "--ref", "ref", "--num-bootstrap", "50")
    assert cli.main(score(files, *args)) == 0
    out = capsys.readouterr().out
    assert "p = " in out
    assert "bs:50" in out


def test_score_of_several_test_sets(files, capsys):
    for name in ("one", "two"):
        (files / f"{name}.ref").write_bytes((files / "ref").read_bytes())
    args = ["--each", "one,two", "--hyp", str(files / "{}"), "--num-bootstrap", "50"]
    args += ["--ref", str(files / "{}.ref")]
    assert cli.main(["score", *args]) == 0
    out = capsys.readouterr().out
    assert re.findall("^==.*$", out, re.MULTILINE) == [
        "== one", "== two", "== average of one, two"
    ]  # fmt: skip
    assert cli.main(["score", *args, "--average", "two", "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["averaged"] == ["two"]
    two = scores["sets"]["two"][0]["BLEU"]["score"]
    assert scores["average"][0]["BLEU"]["score"] == two


def test_score_of_moses_tokens(files, capsys):
    (files / "tokens").write_text("the cat sat on a mat\na b c d e\n", "utf-8")
    args = ("--hyp", "tokens", "--ref", "ref", "--detokenize", "en")
    assert cli.main(score(files, *args)) == 0
    assert capsys.readouterr().out.startswith("BLEU = ")


def test_score_as_json(files, capsys):
    args = ("--hyp", "one", "two", "--ref", "ref", "--num-bootstrap", "50", "--json")
    assert cli.main(score(files, *args)) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["system"] for row in rows] == [str(files / "one"), str(files / "two")]


def test_examples_stand_beside_their_references(files, capsys):
    assert cli.main(score(files, "--hyp", "log", "--examples", "2")) == 0
    out = capsys.readouterr().out
    assert "  source      ♥\n  translation a b c d e\n  reference   a b c d e" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--hyp", "nowhere", "--ref", "ref"), "nowhere: No such file or directory"),
        (("--hyp", "one"), "one holds no references (T- lines): give --ref"),
        (("--hyp", "log", "one", "--ref", "log"), "log has 6: they are of other test"),
        (("--hyp", "log", "three"), "three has 3 sentences, the reference "),
        (("--hyp", "log", "other"), "2 of 2 sources of "),
        (("--hyp", "other", "--ref", "ref"), "2 of 2 references of "),
        (("--hyp", "one", "other", "--ref", "ref"), "'the cat sat on the mat': they are"),
        (("--hyp", "log", "--detokenize", "en"), "--detokenize needs --ref"),
        (("--hyp", "one", "--ref", "ref", "ref"), "ref twice: give each reference once"),
        (("--hyp", "ref", "--ref", "three"), "ref has 2 sentences, the reference "),
        (("--hyp", "one", "--ref", "ref", "three"), "three has 3: they are of other test"),
        (
            ("--hyp", "one", "--ref", "ref", "--metrics", "bleu,comet"),
            "unknown metric 'comet': choose from bleu, chrf, chrf++, ter",
        ),
        (
            ("--hyp", "one", "--ref", "ref", "--tokenize", "moses"),
            "unknown tokenizer 'moses': choose from none, zh, 13a, intl, char, ja-mecab, ",
        ),
        (("--hyp", "log", "-m", "bleu", "bleu"), "--metrics names bleu twice"),
        (("--hyp", "log", "-m", "chrf", "-tok", "zh"), "--tokenize is for BLEU alone"),
        (("--hyp", "log", "one", "-ci"), "--confidence is for one system, and with"),
        (("--hyp", "log", "-ci", "--num-bootstrap", "1"), "raise --num-bootstrap"),
        (("--hyp", "log", "--average", "de"), "--average names some of the test sets of"),
        (("--hyp", "one", "--each", "de"), "--each needs {} in --hyp"),
        (("--hyp", "one", "--each", "de", "--examples", "2"), "drop --each"),
    ],
)
def test_errors_are_one_sentence(files, capsys, args, message):
    assert cli.main(score(files, *args)) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("bytefusion score: ")
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_output_is_utf8_whatever_the_locale(files):
    result = bytefusion(
        *("score", "--hyp", files / "log", "--examples", "2"),
        env={"PYTHONIOENCODING": "ascii", "LANG": "C", "PYTHONUTF8": "0"},
        cwd=USER_DIR.parent,
    )
    assert "♥" in result.stdout.decode("utf-8")


def test_every_file_is_a_verb():
    names = {path.stem for path in (USER_DIR / "cli").glob("*.py")}
    names -= {"__init__", "__main__", "arguments", "arriving", "json_text", "line_files"}
    names -= {"translation_flags", "translation_text"}
    assert {verb.__name__.rpartition(".")[2] for verb in cli.VERBS} == names


def test_without_a_verb_the_verbs_are_listed(capsys):
    with pytest.raises(SystemExit):
        cli.main([])
    assert "VERB" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "-1", "1.5", "x"])
def test_numbers_are_whole(capsys, number):
    with pytest.raises(SystemExit):
        cli.main(["score", "--hyp", "x", "--num-bootstrap", number])
    expected = f"--num-bootstrap: {number} is not a whole number from 1 on"
    assert expected in capsys.readouterr().err
