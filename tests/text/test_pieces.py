import pytest

from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.pieces import Piece, read_pieces, spell, word_pieces

TABLE = [
    # WordPiece
    (
        ["the", "##ing", "##", "#", "▁x"],
        [("the", True), ("ing", False), ("##", True), ("#", True), ("▁x", True)],
    ),
    # SentencePiece
    (
        ["▁the", "ing", "▁▁a", "##x"[1:]],
        [("the", True), ("ing", False), ("a", True), ("#x", False)],
    ),
    # words
    (
        ["the", "ing", "#tag", "[x]", "नमस्ते"],
        [("the", True), ("ing", True), ("#tag", True), ("[x]", True), ("नमस्ते", True)],
    ),
]


@pytest.mark.parametrize(("names", "expected"), TABLE)
def test_marks(names, expected):
    pieces, left_out = read_pieces(names)
    assert pieces == [Piece(n, text, begins) for n, (text, begins) in zip(names, expected)]
    assert left_out == {}


@pytest.mark.parametrize(
    "special",
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused12]", "<s>", "</s>", "<unk>",
     "<0x0A>", "<special>", "madeupword0003"],
)  # fmt: skip
def test_special_symbols_are_left_out(special):
    pieces, left_out = read_pieces(["cat", special, "[unused]", "< >"])
    assert [piece and piece.text for piece in pieces] == ["cat", None, "[unused]", "< >"]
    assert left_out == {"special symbols": [special]}


def test_rows_that_spell_nothing_are_left_out_by_reason():
    pieces, left_out = read_pieces(["▁", "▁a", None, "", "<s>", None])
    assert [piece and piece.text for piece in pieces] == [None, "a", None, None, None, None]
    assert left_out == {
        "no text beside the mark": ["▁", ""],
        "no entry in the vocabulary": ["", ""],
        "special symbols": ["<s>"],
    }


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ["wor@@", "d", "a@@"],
            "2 of 3 pieces have the mark @@: subword-nmt marks the end",
        ),
        (["wor", "d</w>"], "1 of 2 pieces have the mark </w>"),
        (["Ġthe", "ing"], "1 of 2 pieces have the mark Ġ: byte-level BPE"),
    ],
)
def test_other_marks_are_refused(names, message):
    with pytest.raises(ValueError, match=message):
        read_pieces(names)


def test_a_rare_word_with_such_a_mark_is_a_word():
    pieces, _ = read_pieces(["me@@", *(f"word{i}" for i in range(20))])
    assert pieces[0].text == "me@@"


def test_words_have_no_marks_and_are_never_special():
    words = ["▁the", "##ing", "<s>", "[PAD]", "me@@", "d</w>"]
    assert word_pieces(words) == [Piece(word, word, True) for word in words]


def test_pieces_are_spelt_side_by_side():
    pieces = [Piece("the", "the", True), Piece("##éx", "éx", False), Piece("a", "a", True)]
    dictionary = ByteDictionary()
    found = spell(pieces, dictionary, 2)
    b, pad = dictionary.byte_offset, dictionary.pad()
    assert found["symbols"].tolist() == [
        [ord("t") + b, ord("h") + b],
        [0xC3 + b, 0xA9 + b],
        [ord("a") + b, pad],
    ]
    assert found["lengths"].tolist() == [2, 2, 1]
    assert found["begins"].tolist() == [True, False, True]
