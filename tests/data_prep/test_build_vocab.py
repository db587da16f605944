from pathlib import Path

import pytest
import sentencepiece
from fairseq.data import Dictionary
from hypothesis import given
from hypothesis import strategies as st

from data_prep.build_vocab import (
    build_vocab,
    char_dictionary,
    main,
    parse_args,
    train_sentencepiece,
)
from data_prep.sentences import sentences_of
from fairseq_bytefusion.text.char_symbols import char_of, symbol_of

from ..helpers import write_pair

# Every kind of space and line end that may be within a line, and lookalikes of names.
ODD = "a\u2581 \t\r\v\f\x1c\x85\xa0\u2028\u3000\0\ufeff\u200b\u0301語🙂<#"


@given(st.text(min_size=1, max_size=1))
def test_symbols_name_one_character(char):
    symbol = symbol_of(char)
    assert char_of(symbol) == char
    assert len(f"x{symbol}x".split()) == len(f"x{symbol}x".splitlines()) == 1


@pytest.mark.parametrize(
    "char, symbol",
    [(" ", "▁"), ("▁", "<U+2581>"), ("\r", "<U+000D>"), ("a", "a"), ("\u2028", "<U+2028>")],
)
def test_symbols(char, symbol):
    assert symbol_of(char) == symbol


@pytest.mark.parametrize("symbol", ["<pad>", "ab", "", "<U+110000>", "<U+D800>", "<U+41>"])
def test_what_names_no_character(symbol):
    assert char_of(symbol) is None


def test_fairseq_loads_the_dictionary(tmp_path):
    (tmp_path / "text").write_bytes(f"aab{ODD}\n{ODD}\n".encode())
    text, count = char_dictionary([str(tmp_path / "text")])
    (tmp_path / "dict").write_bytes(text.encode())
    dictionary = Dictionary.load(str(tmp_path / "dict"))
    symbols = dictionary.symbols[dictionary.nspecial :]
    assert len(symbols) == count == len(set(ODD + "b"))
    assert {char_of(symbol) for symbol in symbols} == set(ODD + "b")
    assert symbols[0] == "a"
    assert dictionary.count[dictionary.nspecial] == 4


def test_marks_of_a_file_are_no_symbols(tmp_path):
    (tmp_path / "text").write_bytes(b"\xef\xbb\xbfab\r\na\rb\r\n")
    text, _ = char_dictionary([str(tmp_path / "text")])
    assert text == "a 2\nb 2\n<U+000D> 1\n"


def test_rare_characters_are_left_out(tmp_path):
    (tmp_path / "text").write_bytes(b"aab\n")
    assert char_dictionary([str(tmp_path / "text")], 2) == ("a 2\n", 1)
    (tmp_path / "text").write_bytes(b"\n")
    with pytest.raises(ValueError, match="text: no text to make"):
        char_dictionary([str(tmp_path / "text")])


@pytest.fixture()
def data(tmp_path):
    for lang, base in (("xx", "wort"), ("yy", "слово")):
        sources = [f"{base} nummer  {i} und {i * 7}" for i in range(300)]
        write_pair(
            tmp_path, "train", sources, [f"word {i}" for i in range(300)], lang, "en"
        )
        write_pair(tmp_path, "test", ["ζ"], ["Ж"], lang, "en")
    return tmp_path


def arguments(data, *flags):
    flags = "--source-size", "120", "--target-size", "40", *flags
    return parse_args([str(data), "-s", "xx,yy", "-t", "en", *flags])


def test_vocabularies(data):
    made = build_vocab(str(data), ["xx", "yy"], ["en"], arguments(data))
    assert [path.rpartition("/")[2] for path, _ in made] == [
        *("spm.xx.model", "spm.yy.model", "dict.char.xx.txt", "dict.char.yy.txt"),
        *("spm.en.model", "dict.char.en.txt"),
    ]
    assert (data / "spm.xx.model").read_bytes() == (data / "spm.yy.model").read_bytes()
    chars = (data / "dict.char.yy.txt").read_text("utf-8")
    assert chars == (data / "dict.char.xx.txt").read_text("utf-8")
    assert "с " in chars
    assert "ζ" not in chars  # the test set is not looked at
    source = sentencepiece.SentencePieceProcessor(model_file=str(data / "spm.xx.model"))
    target = sentencepiece.SentencePieceProcessor(model_file=str(data / "spm.en.model"))
    assert (source.vocab_size(), target.vocab_size()) == (120, 40)
    for line in ("wort nummer  7 und 49", "слово nummer  8 und", " und", "u "):
        assert source.decode(source.encode(line)) == line


def test_the_same_text_gives_the_same_files(data):
    flags = "--max-sentences", "200"
    made = []
    for _ in range(2):
        paths = build_vocab(str(data), ["xx", "yy"], ["en"], arguments(data, *flags))
        made.append([Path(path).read_bytes() for path, _ in paths])
    assert made[0] == made[1]


@pytest.mark.parametrize("number", ["-1", "x"])
def test_a_sample_is_a_number_of_lines(data, number, capsys):
    with pytest.raises(SystemExit):
        arguments(data, "--max-sentences", number)
    assert f"{number} is not a whole number from 0 on" in capsys.readouterr().err


def test_a_sample_that_is_too_small(data):
    with pytest.raises(ValueError, match="give --max-sentences 101 or more"):
        build_vocab(str(data), ["xx"], ["en"], arguments(data, "--max-sentences", "5"))


def test_several_targets_share_a_vocabulary(data):
    write_pair(data, "train", ["wort"], ["ñame"], "xx", "es")
    write_pair(data, "train", ["слово"], ["žodis"], "yy", "es")
    main([str(data), "-s", "xx,yy", "-t", "en,es", "--kinds", "char"])
    chars = (data / "dict.char.es.txt").read_text("utf-8")
    assert chars == (data / "dict.char.en.txt").read_text("utf-8")
    assert {"ñ ", "ž ", "0 "} <= {line[:2] for line in chars.split("\n")}
    with pytest.raises(ValueError, match="--target-lang en,: write it as de,fr,ru"):
        main([str(data), "-s", "xx", "-t", "en,"])


def test_one_kind_alone(data):
    build_vocab(str(data), ["xx"], ["en"], arguments(data, "--kinds", "char"))
    assert not list(data.glob("spm*"))


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("a" * 4192, ["a" * 4192]),
        ("ä" * 2097, ["ä" * 2096, "ä"]),
        ("語" * 1398, ["語" * 1397, "語"]),
        ("ab " * 2000, ["ab " * 1396 + "ab", "ab " * 603]),
        ("a " + "b" * 4200, ["a", "b" * 4192, "b" * 8]),
        ("a\u2585b \u2585", ["a", "b ", ""]),
    ],
)
def test_lines_that_sentencepiece_would_drop_are_cut(tmp_path, caplog, line, parts):
    (tmp_path / "text").write_bytes(f"first\n{line}\nlast\n".encode())
    found = [
        s if isinstance(s, str) else s.decode() for s in sentences_of([tmp_path / "text"])
    ]
    assert found == ["first", *parts, "last"]
    assert len(caplog.records) == (len(parts) > 1)


def test_long_lines_are_used_and_counted(tmp_path, caplog):
    text = str(tmp_path / "text")
    (tmp_path / "text").write_bytes(
        b"abc" * 1500 + b"\n" + b"de " * 1500 + b"\nf\xe2\x96\x85g\n"
    )
    model = train_sentencepiece([text], 20, arguments(tmp_path))
    pieces = sentencepiece.SentencePieceProcessor(model_proto=model)
    assert not set("abcdefg") - {pieces.id_to_piece(i) for i in range(20)}
    assert (
        "text: SentencePiece reads 2 lines of more than 4192 bytes in parts" in caplog.text
    )
    assert "text: 1 lines hold U+2585" in caplog.text
    (tmp_path / "text").write_bytes(b"\n\n")
    with pytest.raises(ValueError, match="text: no text to make a vocabulary of"):
        train_sentencepiece([text], 20, arguments(tmp_path))


@pytest.mark.parametrize(
    "flags, message",
    [
        (
            ["--source-size", "64000"],
            r"train.yy-en.yy: too little text .*--source-size \d+ or",
        ),
        (
            ["--target-size", "5"],
            r"cannot hold the characters: give --target-size more than",
        ),
    ],
)
def test_impossible_sizes(data, flags, message):
    with pytest.raises(ValueError, match=message):
        build_vocab(str(data), ["xx", "yy"], ["en"], arguments(data, *flags))


def test_command(data, capsys):
    command = [str(data), "-s", "xx", "-t", "en", "--kinds", "char"]
    main(command)
    assert "dict.char.en.txt: 15 symbols" in capsys.readouterr().out
    with pytest.raises(ValueError, match="en is a source and the target"):
        main([str(data), "-s", "xx,en", "-t", "en"])
    with pytest.raises(FileNotFoundError, match="no train.zz-en.zz"):
        main([str(data), "-s", "zz", "-t", "en"])
