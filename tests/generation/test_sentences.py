import numpy as np
import pytest

from fairseq_bytefusion.generation.sentences import check_count, read_sentences_of_list

UNKNOWN = "\ufffd"


@pytest.mark.parametrize(
    ("sentence", "expected", "is_logged"),
    [
        ("", "", False),
        ("kal\r\n", "kal", False),
        ("😀", "😀", False),
        ("\ud83d\ude00", "😀", False),
        ("a\ud83d\ude00\ud83d\udc80b", "a😀💀b", False),
        ("\ud83d", UNKNOWN, True),
        ("\ude00\ud83d", UNKNOWN * 2, True),
        ("\ud83d\ud83d\ude00", UNKNOWN + "😀", True),
        ("\ud83d\n", UNKNOWN, True),
        ("caf\udce9", "caf\udce9", False),  # a byte that is not UTF-8
        ("\udc7f\udd00", UNKNOWN * 2, True),
    ],
)
def test_surrogates(caplog, sentence, expected, is_logged):
    assert read_sentences_of_list(["x", sentence]) == ["x", expected]
    message = "1 of 2 sentences hold half a surrogate pair, which is read as U+FFFD"
    assert (message in caplog.text) == is_logged


@pytest.mark.parametrize("sentences", [None, 3, "kal", b"kal"])
def test_what_is_no_list(sentences):
    with pytest.raises(TypeError, match="a list of str is needed, not "):
        read_sentences_of_list(sentences)


@pytest.mark.parametrize("value", [True, False, 1.0, None, "5", [1]])
def test_what_is_no_whole_number(value):
    with pytest.raises(TypeError, match="beam must be a whole number, not "):
        check_count("beam", value)


@pytest.mark.parametrize("value", [0, -1, np.int64(0)])
def test_numbers_below_one(value):
    with pytest.raises(ValueError, match="beam must be at least 1, not "):
        check_count("beam", value)


@pytest.mark.parametrize("value", [1, 5, np.int32(3)])
def test_whole_numbers(value):
    check_count("beam", value)
