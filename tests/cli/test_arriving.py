"""Sentences are handed on when the input pauses."""

import io
import os
import threading

import pytest

from fairseq_bytefusion.cli.arriving import arriving_sentences

TEXTS = {
    "empty": (b"", []),
    "no end": (b"a\nb", ["a", "b"]),
    "ends": (b"a\r\n\n\rb\n", ["a", "", "\rb"]),
    "mark": (b"\xef\xbb\xbfa\n\xef\xbb\xbf\n", ["a", "\ufeff"]),
    "mark alone": (b"\xef\xbb\xbf", []),
    "broken": (b"caf\xe9\n\x00\n", ["caf\udce9", "\x00"]),
    "long": (b"x" * 3_000_000 + b"\ny\n", ["x" * 3_000_000, "y"]),
    "many": (b"x\n" * 70, ["x"] * 70),
}


@pytest.fixture
def pipe():
    """The two ends of a pipe, as files."""
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as r, os.fdopen(writer, "wb", buffering=0) as w:
        yield r, w


@pytest.mark.parametrize(("raw", "lines"), TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("kind", ["memory", "file", "pipe"])
def test_all_sentences_come(tmp_path, pipe, raw, lines, kind):
    reader, writer = pipe
    if kind == "pipe":
        thread = threading.Thread(target=lambda: (writer.write(raw), writer.close()))
        thread.start()
        chunks = list(arriving_sentences(reader, 32))
        thread.join()
    else:
        (tmp_path / "text").write_bytes(raw)
        with open(tmp_path / "text", "rb") as file:
            stream = file if kind == "file" else io.BytesIO(raw)
            chunks = list(arriving_sentences(stream, 32))
    assert sum(chunks, []) == lines
    assert list(map(len, chunks)) == [
        min(32, len(lines) - i) for i in range(0, len(lines), 32)
    ]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ([b"a\n"], [["a"]]),
        ([b"a\nb\n", b"c\n"], [["a", "b"], ["c"]]),
        ([b"a\nhalf a", b" line\n"], [["a"], ["half a line"]]),
        ([b"\xef\xbb", b"\xbfa\n"], [[], ["a"]]),
        ([b"a\r", b"\n"], [[], ["a"]]),
        ([b"x\n" * 40], [["x"] * 32, ["x"] * 8]),
    ],
)
def test_a_pause_hands_on_what_is_there(pipe, written, expected):
    reader, writer = pipe
    chunks = arriving_sentences(reader, 32)
    expected = iter(expected)
    for raw in written:
        writer.write(raw)
        for _ in range(1 + raw.count(b"\n") // 33):
            if wanted := next(expected):
                assert next(chunks) == wanted  # and the pipe is still open
    writer.close()
    assert list(chunks) == []
