import logging

import pytest
import torch
from fairseq.data import Dictionary
from hypothesis import given
from hypothesis import strategies as st

from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.byte_dictionary import cut_utf8

TEXTS = [
    "",
    "a",
    "  two  spaces  ",
    "tab\there",
    "a </s> b <pad> <unk> <s> ⁇",
    "NUL \0 VT \v FF \f CR \r NEL \x85 LS \u2028 NBSP \xa0 IDEOGRAPHIC \u3000",
    "👩‍👩‍👧‍👦 🏳️‍🌈",
    "e\u0301 ग़ ក្ក",
    "𝔘𐍈",
    "\ufeffBOM inside",
]


@pytest.fixture
def dictionary():
    return ByteDictionary()


def test_symbols_are_fixed(dictionary):
    assert len(dictionary) == 260
    assert [dictionary[i] for i in range(4)] == ["<s>", "<pad>", "</s>", "<unk>"]
    assert dictionary[4] == "<0x00>"
    assert dictionary[259] == "<0xFF>"
    assert dictionary.index("<0x41>") == ord("A") + 4
    dictionary.finalize(padding_factor=8)
    dictionary.pad_to_multiple_(8)
    assert len(dictionary) == 260
    assert dictionary == ByteDictionary()
    assert dictionary != Dictionary()


def test_no_symbol_can_be_added(dictionary):
    assert dictionary.add_symbol("<0x41>") == ord("A") + 4
    with pytest.raises(ValueError, match="'word'"):
        dictionary.add_symbol("word")


@pytest.mark.parametrize("text", TEXTS)
def test_text_round_trip(dictionary, text):
    ids = dictionary.encode_line(text)
    assert ids.dtype == torch.int32
    assert ids.tolist() == [b + 4 for b in text.encode()] + [2]
    assert dictionary.decode(ids) == text
    assert dictionary.string(ids) == text
    assert dictionary.num_invalid_decoded == 0


@given(st.binary())
def test_bytes_round_trip(raw):
    dictionary = ByteDictionary()
    ids = dictionary.encode_line(raw)
    assert dictionary.decode_bytes(ids) == raw
    assert dictionary.decode(ids) == raw.decode("utf-8", "replace")
    assert (ids[:-1] >= 4).all()


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")))
def test_string_is_the_text(text):
    dictionary = ByteDictionary()
    assert dictionary.string(dictionary.encode_line(text).long()) == text


def test_encode_line_options(dictionary):
    assert dictionary.encode_line("ab", append_eos=False).tolist() == [101, 102]
    assert dictionary.encode_line("ab", reverse_order=True).tolist() == [102, 101, 2]
    assert dictionary.encode_line(b"ab").tolist() == [101, 102, 2]
    seen = []
    dictionary.encode_line("ab", consumer=lambda symbol, i: seen.append((symbol, i)))
    assert seen == [("<0x61>", 101), ("<0x62>", 102)]


def test_surrogates_are_bytes(dictionary):
    escaped = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert dictionary.decode_bytes(dictionary.encode_line(escaped)) == b"caf\xe9"
    both = dictionary.encode_line("\udce9\ud800")
    assert dictionary.decode_bytes(both) == b"\xe9\xed\xa0\x80"
    lone = dictionary.encode_line("\ud800")
    assert dictionary.decode(lone) == "\ufffd" * 3


@pytest.mark.parametrize("wrong", [None, 3, ["a"]])
def test_encode_line_refuses_what_is_not_text(dictionary, wrong):
    with pytest.raises(TypeError, match=type(wrong).__name__):
        dictionary.encode_line(wrong)


def test_broken_utf8_is_shown_counted_and_logged(dictionary, caplog):
    broken = dictionary.encode_line(b"caf\xe9 \xf0\x9f")
    with caplog.at_level(logging.WARNING):
        for _ in range(12):
            assert dictionary.string(broken) == "caf\ufffd \ufffd"
    assert dictionary.num_invalid_decoded == 12
    assert [r.args[0] for r in caplog.records] == [1, 10]


def test_string_arguments_of_fairseq(dictionary):
    ids = torch.tensor([0, 101, 3, 102, 1, 2])
    assert dictionary.string(ids) == "a<unk>b<pad>"
    assert dictionary.string(ids, escape_unk=True) == "a<<unk>>b<pad>"
    assert dictionary.string(ids, unk_string="?") == "a?b<pad>"
    assert dictionary.string(ids, extra_symbols_to_ignore={1, 3}) == "ab"
    assert dictionary.string(ids, include_eos=True) == "a<unk>b<pad></s>"
    assert dictionary.string(dictionary.encode_line("a@@ b c"), "@@ ") == "a@@ b c"
    assert dictionary.string(torch.tensor([[101, 2], [102, 2]])) == "a\nb"


def test_a_newline_cannot_break_a_line(dictionary):
    assert dictionary.string(dictionary.encode_line("a\nb")) == "a␤b"


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("abc", 3, "abc"),
        ("abc", 2, "ab"),
        ("aé", 2, "a"),
        ("aé", 3, "aé"),
        ("a世b", 3, "a"),
        ("a世b", 4, "a世"),
        ("a👩", 4, "a"),
        ("abc", 0, ""),
    ],
)
def test_cut_utf8(text, limit, cut):
    assert cut_utf8(text.encode(), limit) == cut.encode()


@given(st.binary(), st.integers(0, 20))
def test_cut_utf8_keeps_a_prefix(raw, limit):
    cut = cut_utf8(raw, limit)
    assert raw.startswith(cut)
    assert min(len(raw), limit - 3) <= len(cut) <= limit


def test_truncate(dictionary):
    ids = dictionary.encode_line("a世b").long()
    assert dictionary.decode(dictionary.truncate(ids, 5)) == "a世"
    assert dictionary.truncate(ids, 5).dtype == torch.int64
    assert dictionary.truncate(ids, 5)[-1] == dictionary.eos()
