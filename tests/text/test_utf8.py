import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.utf8 import BYTES_TO_BOUNDARY, Utf8Automaton, utf8_tables

from ..oracles.utf8 import can_go_on, is_valid

DICTIONARY = ByteDictionary()
AUTOMATON = Utf8Automaton(DICTIONARY)
EOS, NEWLINE = DICTIONARY.eos(), DICTIONARY.byte_offset + ord("\n")

# One prefix for each state of the automaton, and every first byte of its kind.
PREFIXES = [b"", b"a", b"\xc2", b"\xdf", b"\xe0", b"\xe1", b"\xec", b"\xed", b"\xee",
            b"\xf0", b"\xf1", b"\xf3", b"\xf4", b"\xe0\xa0", b"\xed\x9f", b"\xf0\x90",
            b"\xf4\x8f", b"\xf4\x8f\xbf", "é".encode(), "世".encode(), "👩".encode(),
            "aé世👩".encode()]  # fmt: skip


def ids_of(raw):
    return DICTIONARY.encode_line(raw, append_eos=False).long()


def allowed_after(raw, room=9):
    """Bool[V], for a prefix with ``</s>`` in front as in fairseq's beam search."""
    tokens = torch.cat([torch.tensor([EOS]), ids_of(raw)])[None]
    return AUTOMATON.mask(AUTOMATON.state(tokens), torch.tensor([room]))[0] == 0


@pytest.mark.parametrize("prefix", PREFIXES)
def test_exactly_the_bytes_that_python_could_decode_may_follow(prefix):
    allowed = allowed_after(prefix)
    for byte in range(256):
        expected = can_go_on(prefix + bytes([byte])) and byte != ord("\n")
        assert allowed[byte + DICTIONARY.byte_offset] == expected, (prefix, byte)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_end_may_come_where_the_text_is_valid(prefix):
    allowed = allowed_after(prefix)
    assert allowed[EOS] == is_valid(prefix)
    assert not allowed[
        [DICTIONARY.bos(), DICTIONARY.pad(), DICTIONARY.unk(), NEWLINE]
    ].any()


@given(st.text(max_size=6), st.integers(0, 3))
def test_every_text_is_allowed_and_brings_the_state_that_its_bytes_say(text, cut):
    raw = text.replace("\n", "").encode("utf-8", "replace")
    raw = raw[: len(raw) - cut]
    for end in range(len(raw)):
        assert allowed_after(raw[:end])[raw[end] + DICTIONARY.byte_offset]
    state = int(AUTOMATON.state(ids_of(raw)[None]))
    assert (BYTES_TO_BOUNDARY[state] == 0) == is_valid(raw)


@given(st.binary(max_size=8))
def test_three_symbols_are_enough_and_broken_text_ends_with_its_character(raw):
    after = utf8_tables()[1]
    state = 0
    for byte in raw:
        state = int(after[state, byte])
    assert int(AUTOMATON.state(ids_of(raw)[None])) == state
    # Whatever came before, a first byte begins a character.
    assert is_valid((raw + "é".encode()).decode("utf-8", "ignore").encode())
    assert allowed_after(raw + b"\xc3").equal(allowed_after(b"\xc3"))


@pytest.mark.parametrize("room", range(6))
def test_a_character_is_begun_where_it_fits(room):
    allowed = allowed_after(b"", room)
    for text in ("a", "é", "世", "👩"):
        raw = text.encode()
        assert allowed[raw[0] + DICTIONARY.byte_offset] == (len(raw) <= room)
    assert allowed[EOS]
    assert allowed.sum() == {0: 1, 1: 128, 2: 158, 3: 174}.get(room, 179)


def test_without_room_there_is_only_the_end():
    for prefix in PREFIXES:
        for room in (0, -1, -7):
            assert allowed_after(prefix, room).nonzero().flatten().tolist() == [EOS]


def test_a_batch_is_its_rows():
    rows = [ids_of(p) for p in (b"abcd", "世a".encode(), b"ab\xe4\xb8", b"a\xf0\x9f\x91")]
    states = AUTOMATON.state(torch.stack(rows))
    assert states.tolist() == [int(AUTOMATON.state(row[None])) for row in rows]
    mask = AUTOMATON.mask(states, torch.tensor([4, 3, 2, 1]))
    assert mask.shape == (4, len(DICTIONARY))
    for i, row in enumerate(rows):
        alone = AUTOMATON.mask(AUTOMATON.state(row[None]), torch.tensor([4 - i]))
        assert mask[i].equal(alone[0])
