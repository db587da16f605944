import io
import sys

import pytest

from fairseq_bytefusion import compat


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
