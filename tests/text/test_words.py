import pytest
import torch
from fairseq.data import Dictionary
from hypothesis import given, settings
from hypothesis import strategies as st

from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.words import block_starts, symbol_tables

from ..helpers import SENTENCES, pad_batch
from ..oracles.word_attention import words_of

DICTIONARY = ByteDictionary()
TABLES = symbol_tables(DICTIONARY)


def starts_of(batch, boundary="space", max_word=64):
    return block_starts(batch, batch == 1, TABLES, boundary, max_word)


def blocks_of(raw, **kwargs):
    """Blocks as bytes, ``</s>`` last as the empty block."""
    tokens = DICTIONARY.encode_line(raw).long()
    (starts,) = starts_of(tokens[None], **kwargs)
    blocks = []
    for token, start in zip(tokens.tolist(), starts.tolist()):
        if start:
            blocks.append([])
        blocks[-1].append(token)
    return [DICTIONARY.decode_bytes(block) for block in blocks]


@pytest.mark.parametrize(
    ("text", "space", "script"),
    [
        ("", "", ""),
        ("a", "a", "a"),
        ("hi mom!", "hi| mom!", "hi| |mom|!"),
        ("  two  words", "  two|  words", "  |two|  |words"),
        ("end ", "end| ", "end| "),
        ("   ", "   ", "   "),
        ("a\t b\rc\vd\fe", "a|\t b|\rc|\vd|\fe", "a|\t |b|\r|c|\v|d|\f|e"),
        ("nbsp\xa0is no space", "nbsp\xa0is| no| space", "nbsp|\xa0|is| |no| |space"),
        ("世界abc你", "世界abc你", "世界|abc|你"),
        ("Привет,мир", "Привет,мир", "Привет,мир"),
        ("x=1;", "x=1;", "x|=|1|;"),
    ],
)
def test_blocks(text, space, script):
    assert [b.decode() for b in blocks_of(text)] == [*filter(None, space.split("|")), ""]
    expected = [*filter(None, script.split("|")), ""]
    assert [b.decode() for b in blocks_of(text, boundary="script")] == expected


@settings(max_examples=300)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([" ", "\t", "a", "Z", "1", "!", "é", "世", "👩"]),
            st.just("b" * 9),
        )
    ).map("".join),
    st.sampled_from(["space", "script"]),
    st.sampled_from([4, 5, 8, 64]),
)
def test_blocks_are_the_oracles(text, boundary, max_word):
    blocks = blocks_of(text, boundary=boundary, max_word=max_word)
    assert blocks == [*words_of(text.encode(), boundary, max_word), b""]
    assert all(len(block) <= max_word for block in blocks)
    for block in blocks:
        block.decode()  # no character is cut


@settings(max_examples=300)
@given(
    st.binary(max_size=60), st.sampled_from(["space", "script"]), st.sampled_from([4, 7])
)
def test_any_bytes_are_partitioned(raw, boundary, max_word):
    blocks = blocks_of(raw, boundary=boundary, max_word=max_word)
    assert blocks == [*words_of(raw, boundary, max_word), b""]
    assert b"".join(blocks) == raw
    assert all(len(block) <= max_word for block in blocks)


@pytest.mark.parametrize("boundary", ["space", "script"])
def test_blocks_do_not_depend_on_the_batch(boundary):
    for left in (False, True):
        batch = pad_batch(SENTENCES, left=left, extra=2)
        starts = starts_of(batch, boundary, 8)
        assert not starts[batch == 1].any()
        for i, sentence in enumerate(SENTENCES):
            (alone,) = starts_of(pad_batch([sentence]), boundary, 8)
            assert torch.equal(starts[i][batch[i] != 1], alone)


def test_a_row_of_padding_has_no_block():
    batch = torch.ones(2, 5, dtype=torch.long)
    batch[0, :2] = torch.tensor([101, 2])
    assert starts_of(batch).tolist() == [[True, True, False, False, False], [False] * 5]


def test_text_symbols_of_other_dictionaries():
    dictionary = Dictionary()
    symbols = ["a", "▁", " ", "世", "▁the", "7"]
    ids = [dictionary.add_symbol(s) for s in symbols]
    whitespace, continuation, alphanumeric, _ = symbol_tables(dictionary)[:, ids]
    assert whitespace.tolist() == [False, True, True, False, False, False]
    assert not continuation.any()
    assert alphanumeric.tolist() == [True, False, False, False, False, True]
