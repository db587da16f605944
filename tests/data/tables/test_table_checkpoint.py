"""Checkpoints of byte_translation as tables to learn."""

import pytest
import torch

from fairseq_bytefusion.data.tables.teacher import read_teacher
from fairseq_bytefusion.modules.embedders.word_table import WordTable
from fairseq_bytefusion.text import ByteDictionary, load_dictionary
from fairseq_bytefusion.text.text_dictionary import encode_utf8
from fairseq_bytefusion.text.word_list import hash_words, pack_words

from .test_teacher import write_checkpoint

WORDS = [b"the", b"##ing", b"<s>", "▁kal".encode(), b"caf\xe9"]


def write_words(folder, words=WORDS):
    (folder / "dict.word.de.txt").write_bytes(b"".join(b"%s 1\n" % w for w in words))


def write_mixture(folder, dictionary, words, with_fingerprint=True, **options):
    table = WordTable(hash_words(words, dictionary), 3).state_dict()
    if not with_fingerprint:
        del table["fingerprint"]
    parameters = {f"encoder.embed_tokens.table.{n}": t for n, t in table.items()}
    parameters["encoder.embed_tokens.composer.characters.weight"] = torch.eye(5)
    options = {"source_lang": "de", "data": "elsewhere", **options}
    return write_checkpoint(folder, parameters, **options), table["weight"]


@pytest.mark.parametrize("with_fingerprint", [True, False])
def test_word_table_of_a_mixture(tmp_path, with_fingerprint):
    write_words(tmp_path)
    path, table = write_mixture(tmp_path, ByteDictionary(), WORDS, with_fingerprint)
    teacher = read_teacher(path)
    # Whatever a word looks like: it is a word, and no special symbol.
    expected = [word.decode("utf-8", "surrogateescape") for word in WORDS]
    assert [piece.text for piece in teacher.pieces] == expected
    assert all(piece.begins for piece in teacher.pieces)
    assert torch.equal(teacher.table, table)


def test_a_mixture_of_characters_left_words_out(tmp_path):
    (tmp_path / "dict.char.de.txt").write_text("a 3\nb 2\n")
    write_words(tmp_path, [b"ab", b"abc", b"ba"])
    dictionary = load_dictionary("char", str(tmp_path), ["de"])
    path, table = write_mixture(tmp_path, dictionary, [b"ab", b"ba"], source_unit="char")
    teacher = read_teacher(path)
    assert [piece.text for piece in teacher.pieces] == ["ab", "ba"]
    assert torch.equal(teacher.table, table)


def test_a_list_of_words_in_another_order_is_refused(tmp_path):
    write_words(tmp_path, WORDS[::-1])
    path, _ = write_mixture(tmp_path, ByteDictionary(), WORDS)
    message = r"checkpoint\.pt and .*dict\.word\.de\.txt: .* not the one of training"
    with pytest.raises(ValueError, match=message):
        read_teacher(path)


@pytest.mark.parametrize(("unit", "rows"), [("byte", "bytes"), ("char", "characters")])
def test_a_table_of_symbols_is_refused(tmp_path, unit, rows):
    path = write_checkpoint(
        tmp_path,
        {"encoder.embed_tokens.weight": torch.eye(260)},
        source_lang="de",
        source_unit=unit,
        data="elsewhere",
    )
    with pytest.raises(ValueError, match=f"has a table of {rows} .--source-unit {unit}"):
        read_teacher(path)


def test_a_language_that_was_found_in_the_data(tmp_path):
    write_words(tmp_path)
    path, _ = write_mixture(tmp_path, ByteDictionary(), WORDS, source_lang=None)
    state = torch.load(path, weights_only=False)
    torch.save({**state, "task_state": {"source_lang": "de"}}, path)
    assert len(read_teacher(path).pieces) == len(WORDS)


@pytest.mark.parametrize("unit", ["byte", "char"])
def test_a_checkpoint_that_knows_its_words_needs_no_file(tmp_path, unit):
    path, table = write_mixture(tmp_path, ByteDictionary(), WORDS, source_unit=unit)
    state = torch.load(path, weights_only=False)
    for words in (WORDS, WORDS[:2]):
        torch.save({**state, "task_state": {"source_words": pack_words(words)}}, path)
        if len(words) < len(table):
            with pytest.raises(ValueError, match="list of words has 2 entries and .* 5"):
                read_teacher(path)
            continue
        write_words(tmp_path, WORDS[::-1])  # those of the checkpoint win
        teacher = read_teacher(path)
        assert [encode_utf8(piece.text) for piece in teacher.pieces] == WORDS
        assert torch.equal(teacher.table, table)
