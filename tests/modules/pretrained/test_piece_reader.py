import pytest

pytest.importorskip("transformers")

from transformers import AutoTokenizer  # noqa: E402

from fairseq_bytefusion.data.hugging_face import read_parts  # noqa: E402
from fairseq_bytefusion.modules.pretrained import (  # noqa: E402
    PieceReader,
    PretrainedParts,
)

from ...helpers import SENTENCES  # noqa: E402


@pytest.fixture(scope="module")
def parts(small_bert):
    return PretrainedParts(**read_parts(str(small_bert)))


@pytest.mark.parametrize("sentence", [*SENTENCES, "Kal, SUBAH hello, (alarm)!"])
def test_words_are_cut_as_in_their_sentence(small_bert, parts, sentence):
    tokenizer, reader = AutoTokenizer.from_pretrained(small_bert), PieceReader(parts)
    expected = tokenizer(sentence, add_special_tokens=False)["input_ids"]
    words = [word.encode() for word in sentence.split()]
    assert [piece for word in words for piece in reader(word).pieces] == expected


@pytest.mark.parametrize(
    ("raw", "spelling", "count", "is_piece"),
    [
        (b"alarm", b"alarm", 1, True),
        (b"ALARM", b"alarm", 1, True),
        (b"alarm,", b"alarm,", 2, False),
        ("Álarm".encode(), b"alarm", 1, True),  # a BERT that lowers case strips accents
        ("世".encode(), " 世 ".encode(), 1, False),  # not known
        ("\u200b".encode(), "\u200b".encode(), 1, False),  # nothing is left of it
        (b"a\xff", b"a", 1, True),
    ],
)
def test_what_a_word_is(parts, raw, spelling, count, is_piece):
    found = PieceReader(parts)(raw)
    assert found.spelling == spelling
    assert len(found.pieces) == count
    assert found.is_piece == is_piece


def test_a_long_word_has_no_more_pieces_than_there_is_room(parts):
    assert len(PieceReader(parts)(b"xyz" * 20).pieces) > 0
    cut, whole = PieceReader(parts, 3)(b"a,b,c,d,e"), PieceReader(parts)(b"a,b,c,d,e")
    assert cut.pieces == whole.pieces[:3]
    assert len(whole.pieces) == 9


def test_names_are_in_the_order_of_rows(small_bert, parts):
    tokenizer = AutoTokenizer.from_pretrained(small_bert)
    names = PieceReader(parts).names()
    assert names == tokenizer.convert_ids_to_tokens(range(len(tokenizer)))


def test_words_are_remembered_and_forgotten(parts, monkeypatch):
    monkeypatch.setattr("fairseq_bytefusion.modules.pretrained.piece_reader._MOST_KEPT", 2)
    reader = PieceReader(parts)
    first = [reader(word) for word in (b"kal", b"do", b"hai", b"kal")]
    assert first[0] == first[3]
    assert len(reader._read) <= 2
