"""The script behind ``make quickstart``, with commands that take no time."""

import sys

import pytest

from scripts import quickstart


def python(code):
    return [sys.executable, "-c", code]


def test_output_goes_to_the_log_and_progress_to_a_bar(tmp_path, capsys):
    log = tmp_path / "log"
    log.write_text("before\n")
    code = 'for i in (3, 9): print(\'chatter\\n{"num_updates": "%d"}\' % i)'
    quickstart.follow(python(code), log, r'"num_updates": "(\d+)"', "training", 9)
    shown = capsys.readouterr()
    assert log.read_text().startswith("before\nchatter\n")
    assert "9/9" in shown.err
    assert "chatter" not in shown.out + shown.err


def test_lines_are_counted_where_the_pattern_has_no_number(tmp_path, capsys):
    code = "print('H-0\\ta\\nD-0\\ta\\nH-1\\tb')"
    quickstart.follow(python(code), tmp_path / "log", r"^H-\d+\t", "translating", 2)
    assert "2/2" in capsys.readouterr().err


def test_a_command_that_fails_is_said_with_its_log(tmp_path):
    code = "import sys; print('some chatter'); sys.exit('no such file: x')"
    with pytest.raises(SystemExit, match=r"training failed, see .*log: no such file: x"):
        quickstart.follow(python(code), tmp_path / "log", "x(.)", "training", 9)


def test_trained_for_is_the_sum_of_the_sessions(tmp_path, monkeypatch):
    outcomes = [KeyboardInterrupt, None]

    def follow(*args):
        outcome = outcomes.pop(0)
        if outcome:
            raise outcome

    monkeypatch.setattr(quickstart, "follow", follow)
    with pytest.raises(KeyboardInterrupt):
        quickstart.train(tmp_path)
    assert not (tmp_path / "trained").exists()
    (tmp_path / "seconds").write_text("100.0 160.0\n")
    assert quickstart.train(tmp_path) == pytest.approx(60, abs=5)
    assert quickstart.train(tmp_path) == pytest.approx(60, abs=5)  # nothing is run again


def test_its_flags_are_fairseqs(tmp_path):
    from fairseq import options

    parser = options.get_training_parser()
    flags = [str(part) for part in (*quickstart.common(), *quickstart.TRAINING)]
    args = options.parse_args_and_arch(parser, input_args=flags)
    assert (args.arch, args.max_update) == ("byte_transformer_small", quickstart.UPDATES)
