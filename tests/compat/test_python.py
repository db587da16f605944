import io
import signal
import sys

import pytest

from fairseq_bytefusion import compat
from fairseq_bytefusion.compat.python import catch_interrupts, end_quietly_on_interrupt


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_standard_streams_are_utf8(monkeypatch, encoding):
    streams = {
        "stdin": io.TextIOWrapper(io.BytesIO(b"a\rb\ncaf\xe9\n"), encoding=encoding),
        "stdout": io.TextIOWrapper(io.BytesIO(), encoding=encoding),
        "stderr": io.TextIOWrapper(io.BytesIO(), encoding=encoding),
    }
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
    compat.utf8_standard_streams()
    assert sys.stdin.readlines() == ["a\rb\n", "caf\udce9\n"]
    print("世 \udce9")
    sys.stdout.flush()
    assert streams["stdout"].buffer.getvalue() == "世 ".encode() + b"\xe9\n"
    print("世", file=sys.stderr)


def test_replaced_or_used_streams_are_left_alone(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    used = io.TextIOWrapper(io.BytesIO(b"a\nb\n"), encoding="ascii")
    used.readline()
    monkeypatch.setattr(sys, "stdin", used)
    compat.utf8_standard_streams()


@pytest.mark.parametrize(
    ("command", "before", "after"),
    [
        ("/usr/bin/bytefusion", signal.default_int_handler, signal.SIG_DFL),
        ("/usr/bin/bytefusion", signal.SIG_IGN, signal.SIG_IGN),
        ("data_prep/build_vocab.py", signal.default_int_handler, signal.SIG_DFL),
        ("/usr/bin/fairseq-train", signal.default_int_handler, signal.default_int_handler),
        ("", signal.default_int_handler, signal.default_int_handler),
    ],
)
def test_an_interrupt_while_libraries_are_imported(monkeypatch, command, before, after):
    kept = signal.signal(signal.SIGINT, before)
    monkeypatch.setattr(sys, "argv", [command])
    try:
        end_quietly_on_interrupt()
        assert signal.getsignal(signal.SIGINT) == after
        catch_interrupts()
        assert signal.getsignal(signal.SIGINT) == before
    finally:
        signal.signal(signal.SIGINT, kept)
