"""How a command ends that is not let finish: no traceback, the exit status of its kind."""

import io
import os
import sys

import pytest

from fairseq_bytefusion import cli

from ..helpers import bytefusion

#: what each verb needs
ARGUMENTS = {
    "path": [],
    "score": ["--hyp", "x"],
    "inspect": ["x"],
    "average": ["x", "--output", "y"],
    "neighbours": ["x", "word"],
    "draft": ["x", "-s", "de", "-t", "en", "--output", "y"],
    "translate": ["x"],
    "export": ["x", "y", "--to", "ctranslate2"],
    "predict": ["x"],
    "evaluate": ["x", "y"],
    "explain": ["x", "--text", "y"],
    "score-text": ["x"],
}
#: the others run without any
NEEDY = [verb for verb, arguments in ARGUMENTS.items() if arguments]


def test_every_verb_is_here():
    names = {verb.__name__.rpartition(".")[2] for verb in cli.VERBS}
    assert set(ARGUMENTS) == {name.replace("_", "-") for name in names}


def let_run(monkeypatch, verb, run):
    """Let the verb do something else."""
    file = verb.replace("-", "_")
    module = next(v for v in cli.VERBS if v.__name__.endswith(f".{file}"))
    monkeypatch.setattr(module, "run", run)
    return [verb, *ARGUMENTS[verb]]


def main_into_closed_pipe(monkeypatch, argv):
    """The exit status with standard output that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        status = cli.main(argv)
        stream.flush()  # as Python does at exit
    return status


@pytest.mark.parametrize("verb", ARGUMENTS)
@pytest.mark.parametrize("printed", ["x", "x" * 100000], ids=["little", "much"])
def test_a_closed_pipe(monkeypatch, capsys, verb, printed):
    argv = let_run(monkeypatch, verb, lambda args: print(printed))
    assert main_into_closed_pipe(monkeypatch, argv) == 141
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("argv", [["--help"], ["translate", "--help"]])
def test_a_closed_pipe_and_help(monkeypatch, capsys, argv):
    assert main_into_closed_pipe(monkeypatch, argv) == 141
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("verb", ARGUMENTS)
def test_an_interrupt(monkeypatch, capsys, verb):
    def run(args):
        raise KeyboardInterrupt

    assert cli.main(let_run(monkeypatch, verb, run)) == 130
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("verb", ["", *NEEDY])
def test_no_arguments(capsys, verb):
    with pytest.raises(SystemExit) as caught:
        cli.main([verb] if verb else [])
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith(f"usage: {f'bytefusion {verb}'.rstrip()} ")
    assert "the following arguments are required: " in error


@pytest.mark.parametrize("verb", ARGUMENTS)
def test_no_standard_output(monkeypatch, capsys, verb):
    monkeypatch.setattr(sys, "stdout", None)
    assert cli.main(let_run(monkeypatch, verb, lambda args: print("x"))) == 1
    expected = "bytefusion: standard output: Bad file descriptor\n"
    assert capsys.readouterr().err == expected


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
@pytest.mark.parametrize("verb", ARGUMENTS)
def test_a_full_disk(monkeypatch, capsys, verb):
    with open("/dev/full", "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert cli.main(let_run(monkeypatch, verb, lambda args: print("x"))) == 1
        stream.flush()
    message = f"bytefusion {verb}: standard output: No space left on device\n"
    assert capsys.readouterr().err == message


def test_an_error_is_not_printed_as_output(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert cli.main(["inspect", "nowhere"]) == 1
    assert sys.stdout.getvalue() == ""


def test_the_name_of_a_file_may_have_a_line_end(capsys):
    assert cli.main(["inspect", "no\nwhere"]) == 1
    expected = "bytefusion inspect: no\\nwhere: No such file or directory\n"
    assert capsys.readouterr().err == expected


def test_no_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert cli.main(["translate", "nowhere"]) == 1
    assert "standard input is closed" in capsys.readouterr().err


def test_the_process_itself():
    result = bytefusion("inspect", check=False)
    assert result.returncode == 2
    assert b"Traceback" not in result.stderr
