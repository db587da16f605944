"""Where long sentences are cut."""

import pytest

from fairseq_bytefusion.generation.parts import parts_of

from ..helpers import SENTENCES


def cut(text, limit):
    parts = parts_of(3, text, lambda part: len(part.encode()) <= limit)
    assert all(part.line == 3 for part in parts)
    assert "".join(part.space + part.text for part in parts) == text
    return parts


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("a b", 3, "a b"),
        ("Go. Now go on.", 10, "Go.|Now go on."),
        ("Go. Go. Stay.", 10, "Go. Go.|Stay."),  # as many as fit
        ('Ok.  He said "no." Yes, do.', 17, 'Ok.|He said "no."|Yes, do.'),
        ("3.5 is not 4.5 or so", 12, "3.5 is not|4.5 or so"),  # no end of a sentence
        ("one two  three", 8, "one two|three"),
        ("one two", 3, "one|two"),
        ("one twofold", 5, "one|twofo|ld"),
        ("你好。世界。", 9, "你好。|世界。"),
        ("क्या हाल है। ठीक है।", 40, "क्या हाल है।|ठीक है।"),
        ("ééé", 3, "é|é|é"),  # never within a character
        ("é", 1, "é"),  # which no part can hold
        ("    a", 3, "|a"),
        ("a    ", 3, "a|"),
        ("a!? b", 4, "a!?|b"),
        ("", 1, ""),
    ],
)
def test_parts(text, limit, expected):
    assert [part.text for part in cut(text, limit)] == expected.split("|")


@pytest.mark.parametrize("limit", [4, 7, 20])
def test_nothing_is_lost_and_everything_fits(limit):
    for text in (*SENTENCES, " ".join(SENTENCES), "a. " * 30, "\u2028 x\u00a0y\t\r z" * 9):
        for part in cut(text, limit):
            assert len(part.text.encode()) <= limit


def test_the_white_space_at_a_cut():
    assert [part.space for part in cut("one.\u2003\t two three", 7)] == [
        "", "\u2003\t ", " "
    ]  # fmt: skip


def test_a_long_line_takes_no_more_than_it_has():
    calls = []

    def fits(text):
        calls.append(len(text))
        return len(text) <= 100

    parts_of(0, "word " * 20_000, fits)
    # Of what is left only one look is at all of it.
    assert sum(sorted(calls)[: -len(parts_of(0, "word " * 20_000, fits))]) < 3e6
