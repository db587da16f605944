import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairseq_bytefusion.text.lines import (
    count_invalid_lines,
    join_lines,
    mark_length,
    raw_lines,
    read_sentences,
    without_end,
)

from ..oracles.lines import slow_lines

PIECES = [b"\n", b"\r", b"a", b"\xef\xbb\xbf", b"\xc3"]
TEXT = st.lists(st.sampled_from(PIECES)).map(b"".join)


@given(TEXT)
def test_lines_are_those_of_the_oracle(content):
    assert list(raw_lines(io.BytesIO(content))) == slow_lines(content)


@given(st.lists(TEXT.map(lambda raw: raw.replace(b"\n", b""))))
def test_what_is_joined_is_read_again(lines):
    assert list(raw_lines(io.BytesIO(join_lines(lines)))) == lines


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], b""),
        ([b"a", b""], b"a\n\n"),
        ([b"a\r"], b"a\r\r\n"),
        ([b"\xef\xbb\xbfa"], b"\xef\xbb\xbf\xef\xbb\xbfa\n"),
    ],
)
def test_joined_lines(lines, text):
    assert join_lines(lines) == text


@pytest.mark.parametrize(
    ("line", "expected"),
    [("", ""), ("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\r", "a\r"), ("\r\r\n", "\r")],
)
def test_without_end(line, expected):
    assert without_end(line) == expected
    assert without_end(line.encode()) == expected.encode()


@pytest.mark.parametrize(
    ("head", "length"), [(b"", 0), (b"\xef\xbb", 0), (b"\xef\xbb\xbfa", 3), (b"abcd", 0)]
)
def test_mark_length(head, length):
    assert mark_length(head) == length


RAW = b"\xef\xbb\xbfcaf\xe9\r\nlast\r"


@pytest.mark.parametrize(
    "stream",
    [
        io.BytesIO(RAW),
        io.TextIOWrapper(io.BytesIO(RAW), encoding="ascii"),  # it would end lines at \r
        io.StringIO(RAW.decode("utf-8", "surrogateescape")),
    ],
    ids=["binary", "text", "no bytes behind it"],
)
def test_sentences_of_any_stream(stream):
    assert list(read_sentences(stream)) == ["caf\udce9", "last\r"]


def test_a_line_is_given_as_soon_as_it_is_there():
    def stream():
        yield b"a\n"
        raise AssertionError("nobody asked for a second line")

    assert next(raw_lines(stream())) == b"a"


@pytest.mark.parametrize(
    ("raw", "count"),
    [
        (b"", 0),
        (b"a\nb\n", 0),
        (b"\xff\n\xff\n\xff", 3),
        (b"\xff\xff\nok\n", 1),
        ("é\n世\n".encode(), 0),
        ("世".encode()[:2] + b"\nok", 1),
    ],
)
def test_count_invalid_lines(raw, count):
    assert count_invalid_lines(raw) == count
