import io
import pickle

import pytest
import sentencepiece
import torch
from hypothesis import given
from hypothesis import strategies as st

from fairseq_bytefusion.text import (
    UNITS,
    ByteDictionary,
    CharDictionary,
    SentencePieceDictionary,
    load_dictionary,
)
from fairseq_bytefusion.text.char_symbols import symbol_of

ALPHABET = "ab ▁\t\r\v\x85\u2028\u3000语🙂é\u0301<s/>pad"
TEXTS = ["aa bb < s / <pad>", "b  a", " a", "语 é", "<pad> <pad> <pad> <pad>", "🙂"]


def subword_model(texts=TEXTS, size=40, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts * 20),
        model_writer=model,
        model_type="bpe",
        vocab_size=size,
        character_coverage=1.0,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        minloglevel=2,
        hard_vocab_limit=False,
        **options,
    )
    return model.getvalue()


CHARS = CharDictionary(dict.fromkeys(ALPHABET))
SUBWORDS = SentencePieceDictionary(subword_model())
DICTIONARIES = [ByteDictionary(), CHARS, SUBWORDS]


@pytest.mark.parametrize("dictionary", DICTIONARIES, ids=UNITS)
@given(text=st.text(alphabet=ALPHABET))
def test_decoding_undoes_encoding(dictionary, text):
    ids = dictionary.encode_line(text)
    assert ids.dtype == torch.int32
    assert ids[-1] == dictionary.eos()
    if dictionary.unk() in ids:
        # SentencePiece has neither ▁ nor what it saw nowhere.
        assert dictionary is SUBWORDS
        assert set(text) - set("".join(TEXTS))
    else:
        assert dictionary.decode(ids) == dictionary.string(ids) == text


@given(text=st.text(alphabet="ab <>/spd语é"))
def test_subwords_keep_every_space(text):
    ids = SUBWORDS.encode_line(text)
    assert SUBWORDS.unk() not in ids
    assert SUBWORDS.string(ids) == text
    assert len(ids) <= len(text) + 2


@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_unknown_characters_alone_are_lost(text):
    shown = CHARS.string(CHARS.encode_line(text), unk_string="#")
    assert shown == "".join(c if c in ALPHABET else "#" for c in text)
    assert len(CHARS.encode_line(text)) == 1 + len(text)


@pytest.mark.parametrize(
    ("dictionary", "text", "shown"),
    [
        (CHARS, "aXb", "a#b"),
        (CHARS, "\U0010ffff", "#"),
        (CHARS, b"a\xffb", "a#b"),
        (CHARS, "a\udcffb", "a#b"),
        (CHARS, "</s><pad>", "</s><pad>"),
        (SUBWORDS, "aXb", "a#b"),
        (SUBWORDS, "X a", "# a"),
        (SUBWORDS, "a▁b", "a#b"),
        (SUBWORDS, "▁", "#"),
        (SUBWORDS, " X", " #"),
        (SUBWORDS, b"a\xffb", "a#b"),
        (SUBWORDS, "</s><pad>", "</s><pad>"),
        (SUBWORDS, "", ""),
        (SUBWORDS, " ", " "),
        (SUBWORDS, "  ", "  "),
    ],
)
def test_what_is_shown(dictionary, text, shown):
    assert dictionary.string(dictionary.encode_line(text), unk_string="#") == shown


@pytest.mark.parametrize("dictionary", DICTIONARIES, ids=UNITS)
def test_the_dictionary_is_fixed(dictionary):
    assert (dictionary.bos(), dictionary.pad(), dictionary.eos()) == (0, 1, 2)
    size = len(dictionary)
    dictionary.finalize()
    dictionary.pad_to_multiple_(8)
    assert len(dictionary) == size
    with pytest.raises(ValueError, match=f"a {dictionary.unit} dictionary is fixed"):
        dictionary.add_symbol("new")


@pytest.mark.parametrize("dictionary", DICTIONARIES, ids=UNITS)
def test_a_copy_in_another_process_is_the_same(dictionary):
    copy = pickle.loads(pickle.dumps(dictionary))
    assert copy == dictionary
    assert copy.encode_line("b  a").tolist() == dictionary.encode_line("b  a").tolist()


@pytest.mark.parametrize("dictionary", DICTIONARIES, ids=UNITS)
def test_truncation(dictionary):
    ids = dictionary.encode_line("a b 语")
    for limit in range(1, len(ids) + 1):
        cut = dictionary.truncate(ids, limit)
        assert len(cut) <= limit
        assert cut[-1] == dictionary.eos()
        assert "a b 语".startswith(dictionary.decode(cut))
    assert dictionary.truncate(ids, 99).tolist() == ids.tolist()


def test_pieces_that_look_like_special_symbols_are_text():
    dictionary = SentencePieceDictionary(subword_model(user_defined_symbols=["<pad>"]))
    ids = dictionary.encode_line("a<pad>b")
    assert dictionary.pad() == dictionary.pad_index == 1
    assert 1 not in ids
    assert dictionary.string(ids) == "a<pad>b"


def test_byte_fallback():
    dictionary = SentencePieceDictionary(subword_model(byte_fallback=True, size=300))
    ids = dictionary.encode_line("a界 b")
    assert dictionary.unk() not in ids
    assert dictionary.string(ids) == "a界 b"
    assert dictionary.decode(ids[:3]).startswith("a")


def test_a_model_without_a_prefix():
    dictionary = SentencePieceDictionary(subword_model(add_dummy_prefix=False))
    for text in ("a b", " a", "  a"):
        assert dictionary.string(dictionary.encode_line(text)) == text


# --- files ------------------------------------------------------------------


def write_vocabularies(folder, lang="xx", chars="ab ", texts=TEXTS):
    lines = [f"{symbol_of(char)} 1\n" for char in chars]
    (folder / f"dict.char.{lang}.txt").write_text("".join(lines), "utf-8", newline="\n")
    (folder / f"spm.{lang}.model").write_bytes(subword_model(texts))


def test_loading(tmp_path):
    write_vocabularies(tmp_path, chars=ALPHABET[:9])
    write_vocabularies(tmp_path, "yy", chars=ALPHABET[:9])
    for unit, unit_class in UNITS.items():
        dictionary = load_dictionary(unit, str(tmp_path), ["xx", "yy"])
        assert type(dictionary) is unit_class
        assert dictionary.string(dictionary.encode_line("a b")) == "a b"
        assert (dictionary.digest is None) == (unit == "byte")


@pytest.mark.parametrize("unit", ["char", "sentencepiece"])
def test_what_cannot_be_loaded(tmp_path, unit):
    name = UNITS[unit].filename.format("xx")
    with pytest.raises(FileNotFoundError) as error:
        load_dictionary(unit, str(tmp_path), ["xx"])
    for part in (str(tmp_path / name), f"build_vocab.py {tmp_path}", f"--kinds {unit}"):
        assert part in str(error.value)
    write_vocabularies(tmp_path)
    write_vocabularies(tmp_path, "yy", "abc", TEXTS + ["another"])
    with pytest.raises(ValueError, match=rf"{name} and .* differ.*-s xx,yy"):
        load_dictionary(unit, str(tmp_path), ["xx", "yy"])
    (tmp_path / name).write_bytes(b"junk")
    with pytest.raises(ValueError, match=name):
        load_dictionary(unit, str(tmp_path), ["xx"])


@pytest.mark.parametrize(
    ("content", "number"),
    [
        ("a 1\nbc 2\n", 2),
        ("a\n", 1),
        ("a 1\na 1\n", 2),
        ("<U+000A> 1\n", 1),
        ("a x\n", 1),
        ("\n", 1),
    ],
)
def test_a_broken_line_of_a_character_dictionary_is_named(tmp_path, content, number):
    path = tmp_path / "dict.char.xx.txt"
    path.write_text(content, "utf-8", newline="\n")
    with pytest.raises(ValueError, match=f"dict.char.xx.txt, line {number}: not a new"):
        CharDictionary.from_file(str(path))
