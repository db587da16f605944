"""The parts of scripts/char2subword that decide what is run and what is reported."""

import sys
from argparse import Namespace

import pytest
from fairseq import options as fairseq_options

from ..helpers import REPO

sys.path.insert(0, str(REPO / "scripts/char2subword"))

import approximations  # noqa: E402
import translation  # noqa: E402
from approximations import METRICS, SUBSETS, TABLES, training  # noqa: E402
from misspell_text import misspell_text  # noqa: E402
from steps import in_parallel, last_validation, run_once, write_table  # noqa: E402

from fairseq_bytefusion.modules.approximation_loss import TERMS  # noqa: E402


def shell(script):
    return [sys.executable, "-c", script]


def test_a_step_is_run_once(tmp_path):
    command = shell("import sys; print('out'); print('err', file=sys.stderr)")
    for _ in range(2):
        run_once("step", tmp_path / "run", command, tmp_path / "result.txt")
    assert (tmp_path / "result.txt").read_text() == "out\n"
    assert (tmp_path / "run/step.log").read_text() == "err\n"


def test_a_failed_step_leaves_no_result_and_is_run_again(tmp_path):
    command = shell(
        f"import os, sys; print('half'); p = {str(tmp_path / 'seen')!r}\n"
        "if not os.path.exists(p): open(p, 'w'); sys.exit(3)"
    )
    with pytest.raises(SystemExit, match="failed, see .*step.log"):
        run_once("step", tmp_path, command, tmp_path / "result.txt")
    assert not (tmp_path / "result.txt").exists()
    run_once("step", tmp_path, command, tmp_path / "result.txt")
    assert (tmp_path / "result.txt").read_text() == "half\n"


def test_a_step_of_another_command_is_refused(tmp_path):
    run_once("step", tmp_path, shell("print(1)"))
    with pytest.raises(SystemExit, match="is of another command"):
        run_once("step", tmp_path, shell("print(2)"))
    assert (tmp_path / "step.log").read_text() == "1\n"


def test_results_come_in_the_order_of_the_calls():
    assert in_parallel(2, [lambda i=i: i for i in range(5)]) == [0, 1, 2, 3, 4]


def test_nothing_begins_after_a_failure():
    begun = []

    def fail():
        raise SystemExit("first")

    calls = [fail, *(lambda i=i: begun.append(i) for i in range(50))]
    with pytest.raises(SystemExit, match="first"):
        in_parallel(1, calls)
    assert len(begun) < 50


def test_the_last_validation_of_a_log(tmp_path):
    log = tmp_path / "log"
    log.write_text(
        '2026 | INFO | clean | {"clean_loss": "2.5"}\n'
        '2026 | INFO | clean | {"clean_loss": "1.5", "clean_precision@1": "0"}\n'
        '2026 | INFO | noised | {"noised_loss": "1.7"}\n'
    )
    assert last_validation(log, "clean") == {"loss": 1.5, "precision@1": 0.0}
    assert last_validation(log, "noised") == {"loss": 1.7}
    with pytest.raises(SystemExit, match="holds no validation of test"):
        last_validation(log, "test")


def test_a_table_of_results(tmp_path, capsys):
    write_table(tmp_path / "new/t.md", "Title", "Notes.", ["a", "b"], [["x", 0.12345]])
    expected = "#### Title\n\nNotes.\n\n| a | b |\n| --- | --- |\n| x | 0.1235 |\n"
    assert (tmp_path / "new/t.md").read_text() == expected
    assert expected in capsys.readouterr().out


def test_nine_different_subsets_of_the_loss():
    assert len({tuple(subset) for subset in SUBSETS}) == 9
    assert {name for subset in SUBSETS for name in subset} == set(TERMS)


def test_a_fifth_of_the_words_is_misspelt():
    text = "some lengthy words\tof a  sentence \nanother sentence, shorter\n" * 200
    noised, changed, count = misspell_text(text, 0.2, seed=1)
    assert count == 9 * 200
    assert 0.17 * count < changed <= 0.2 * count
    assert misspell_text(text, 0.2, seed=1)[0] == noised != misspell_text(text, 0.2, 2)[0]
    pairs = [
        (word, other)
        for line, other_line in zip(text.split("\n"), noised.split("\n"))
        for word, other in zip(line.split(), other_line.split())
    ]
    assert sum(word != other for word, other in pairs) == changed
    assert all(len(word) > 4 for word, other in pairs if word != other)


def test_short_words_are_no_more_than_they_are():
    assert misspell_text("a bc def ghij\n", 1.0, 1) == ("a bc def ghij\n", 0, 4)
    assert misspell_text("", 0.2, 1) == ("", 0, 0)


def check_flags(command, parser):
    """Let fairseq read what ``command`` gives it."""
    assert command[1] == "-m"
    fairseq_options.parse_args_and_arch(parser(), [str(part) for part in command[3:]])


@pytest.fixture
def settings(tmp_path):
    return Namespace(
        out=tmp_path,
        results=tmp_path,
        minilm=tmp_path / "minilm",
        shared=tmp_path / "shared",
        scale=0.1,
        char_embed_dim=128,
        layers=1,
        lr=0.003,
    )


def test_fairseq_knows_the_flags_of_every_approximation(settings):
    folders = set()
    for table in TABLES:
        for subset in SUBSETS:
            folder, command = training(table, subset, settings)
            folders.add(folder)
            check_flags(command, fairseq_options.get_training_parser)
    assert len(folders) == 27
    assert training("MiniLM, full", SUBSETS[-1], settings, 0)[0] not in folders


def test_fairseq_knows_the_flags_of_every_translation(settings):
    learned = ("--encoder-embedder", "char2subword", "--char2subword-from", "x.pt")
    for system, flags in {**translation.SYSTEMS, translation.LEARNED: learned}.items():
        command = translation.training(settings, "data", system, flags)
        check_flags(command, fairseq_options.get_training_parser)
        command = translation.generation(settings, "data", system, "noised")
        check_flags(command, fairseq_options.get_generation_parser)
    command = translation.approximation(settings)
    check_flags(command, fairseq_options.get_training_parser)


def test_results_of_approximations(settings, tmp_path):
    logged, value = {}, 0.0
    for table in TABLES:
        for terms, noise in [*((s, 0.5) for s in SUBSETS), (SUBSETS[-1], 0)]:
            value += 0.01
            entry = dict.fromkeys(METRICS, value)
            noised = {name: v / 2 for name, v in entry.items()}
            logged[table, tuple(terms), noise] = {"clean": entry, "noised": noised}
    approximations.write_losses(settings, logged)
    approximations.write_noise(settings, logged)
    losses = (tmp_path / "losses.md").read_text().strip().split("\n")
    noise = (tmp_path / "noise.md").read_text().strip().split("\n")
    assert losses[-27].startswith("| MiniLM, 6,000 rows | ce | 0.0100 | 0.0100 | 0.0100 |")
    assert losses[-1].startswith("| MiniLM, full | ce + cos + l2 + nbr | 0.2900 |")
    assert losses[-1].endswith("| 0.1450 |")
    assert noise[-2:] == [
        "| MiniLM, full | 0 | 0.3000 | 0.3000 | 0.1500 | 0.1500 |",
        "| MiniLM, full | 0.5 | 0.2900 | 0.2900 | 0.1450 | 0.1450 |",
    ]
    assert "- MiniLM, full: 30 updates" in losses


def test_results_of_translation(settings, tmp_path):
    (tmp_path / "misspell.log").write_text("1826 of 9152 words misspelt\n")
    (tmp_path / "words.log").write_text("x/dict.word.txt: 9 of 10 words\n")

    def score(bleu, chrf):
        return {
            "BLEU": {"score": bleu, "signature": "b"},
            "chrF2": {"score": chrf, "signature": "c"},
        }

    scores = {"char-cnn": {"clean": score(20.123, 40), "noised": score(10, 30)}}
    translation.write_results(settings, tmp_path, scores, {"char-cnn": 1.5})
    text = (tmp_path / "translation.md").read_text()
    assert "| char-cnn | 20.12 | 40.00 | 10.00 | 30.00 | 1.50 |" in text
    assert "- noised sources: 1826 of 9152 words misspelt\n- word table: 9 of 10" in text
    assert "- BLEU: `b`" in text
