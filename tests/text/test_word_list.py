import importlib.util

import numpy as np
import pytest
import torch

from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.word_list import (
    count_words,
    hash_words,
    pack_words,
    read_word_list,
    unpack_words,
)
from fairseq_bytefusion.text.words import symbol_tables, unique_words

from ..helpers import REPO, pad_batch, write_pair


def test_words_are_counted_between_whitespace():
    lines = [b"a b\ta", b"", b"  b", "nbsp\xa0stays".encode(), b"caf\xe9 \r"]
    assert count_words(lines) == {
        b"a": 2,
        b"b": 2,
        "nbsp\xa0stays".encode(): 1,
        b"caf\xe9": 1,
    }


def test_read_what_was_written(tmp_path):
    path = tmp_path / "dict.word.xx.txt"
    path.write_bytes("a 5\nnbsp\xa0\u2028 3\n".encode() + b"caf\xe9 2\n")
    assert read_word_list(path) == [b"a", "nbsp\xa0\u2028".encode(), b"caf\xe9"]
    path.write_bytes(b"\xef\xbb\xbfa 5\r\n\r\nb 3\r\n")  # an editor's marks are no words
    assert read_word_list(path) == [b"a", b"b"]


@pytest.mark.parametrize("words", [[b"a"], [b"caf\xe9", "दुनिया".encode(), b"\x00"]])
def test_words_of_a_checkpoint(words, tmp_path):
    torch.save(pack_words(words), tmp_path / "x.pt")
    packed = torch.load(tmp_path / "x.pt", weights_only=True)
    assert packed.dtype == torch.uint8
    assert unpack_words(packed) == words


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "holds no word"),
        (b"a 1\nb\n", "line 2: not a word and its count"),
        (b"a b 1\n", "line 1: not a word"),
        (b"a x\n", "line 1: not a word"),
        (b" 3\n", "line 1: not a word"),
        (b"a 1\na 2\n", "a word twice"),
    ],
)
def test_wrong_files(tmp_path, raw, message):
    path = tmp_path / "dict.word.xx.txt"
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=message):
        read_word_list(path)


def test_hashes_are_those_of_a_batch(monkeypatch):
    monkeypatch.setattr("fairseq_bytefusion.text.word_list._CHUNK", 2)
    dictionary = ByteDictionary()
    words = [b"kal", "मौसम".encode(), b"a", b"x" * 200, b"kall"]
    found = hash_words(words, dictionary)
    batch = pad_batch([w.decode() for w in words] + ["  ".join(["a", "kal"])])
    unique = unique_words(batch, 1, symbol_tables(dictionary), 50)
    in_batch = torch.cat([unique.hashes, torch.tensor([0])])[unique.index]
    assert torch.equal(in_batch[:5, 0], found)
    assert torch.equal(in_batch[5, :2], found[[2, 0]])


@pytest.fixture
def build(monkeypatch, tmp_path):
    """The script's ``main`` for ``tmp_path``, with flags."""
    script = REPO / "data_prep/build_word_dict.py"
    spec = importlib.util.spec_from_file_location("build_word_dict", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def alone(*flags):
        monkeypatch.setattr("sys.argv", list(map(str, [script, tmp_path, *flags])))
        module.main()

    def run(*flags):
        alone("-s", "xx", "-t", "en", *flags)

    run.module, run.alone = module, alone
    return run


def test_several_languages_share_a_list(build, tmp_path):
    write_pair(tmp_path, "train", ["b a b", "c"], ["", ""])
    write_pair(tmp_path, "train", ["c c"], [""], src="yy")
    build("-s", "xx,yy", "--min-count", "2")
    for lang in ("xx", "yy"):
        assert (tmp_path / f"dict.word.{lang}.txt").read_bytes() == b"c 3\nb 2\n"


def test_several_texts_of_one_language_share_a_list(build, tmp_path):
    for name, text in (("train.a", "b a b\nc\n"), ("train.b", "c c\n")):
        (tmp_path / name).write_text(text)
    build.alone("-s", "a,b", "--min-count", "2")
    assert not (tmp_path / "dict.word.a,b.txt").exists()
    for lang in "ab":
        assert (tmp_path / f"dict.word.{lang}.txt").read_bytes() == b"c 3\nb 2\n"
    with pytest.raises(SystemExit, match=r"train\.x; of train .* holds train\.a, train\.b"):
        build.alone("-s", "a,x")


def test_the_script(build, tmp_path, capsys):
    write_pair(tmp_path, "train", ["b a b", "c b", "a"], ["", "", ""])
    build("--min-count", "2")
    path = tmp_path / "dict.word.xx.txt"
    assert path.read_bytes() == b"b 3\na 2\n"
    assert "2 of 3 words, 83.3% of the running words" in capsys.readouterr().out
    build("--min-count", "1", "--max-words", "1")
    assert read_word_list(path) == [b"b"]
    with pytest.raises(SystemExit, match="no word of .* occurs 4 times"):
        build("--min-count", "4")
    (tmp_path / "train.xx-en.xx").rename(tmp_path / "train.en-xx.xx")
    build("--min-count", "1")
    assert read_word_list(path) == [b"b", b"a", b"c"]
    (tmp_path / "train.en-xx.xx").unlink()
    with pytest.raises(SystemExit, match="no such file: .*train.xx-en.xx"):
        build()


def test_bad_flags_are_refused_in_a_sentence(build, tmp_path, capsys):
    write_pair(tmp_path, "train", ["a"], [""])
    with pytest.raises(SystemExit, match="--words-of: no such file or directory: nowhere"):
        build("--words-of", "nowhere")
    (tmp_path / "broken.pt").write_bytes(b"no checkpoint")
    with pytest.raises(SystemExit, match=r"--words-of: .*broken\.pt"):
        build("--words-of", tmp_path / "broken.pt")
    for flag, value in (("--min-count", "-1"), ("--max-words", "0")):
        with pytest.raises(SystemExit):
            build(flag, value)
        assert f"argument {flag}: {value} is not a whole number" in capsys.readouterr().err


def test_a_text_without_words_is_refused_before_anything_is_written(build, tmp_path):
    write_pair(tmp_path, "train", ["", " \r"], ["", ""])
    write_table(tmp_path, ["a", "b"])
    for flags in ((), ("--words-of", tmp_path / "t.npy", "--min-count", "0")):
        with pytest.raises(SystemExit, match=r"train\.xx-en\.xx holds no word"):
            build(*flags)
    assert not (tmp_path / "dict.word.xx.txt").exists()


def test_marks_and_carriage_returns_are_no_part_of_a_word(build, tmp_path):
    write_pair(tmp_path, "train", ["\ufeffa b\r", "\ufeffb\r"], ["", ""])
    build("--min-count", "1")
    assert read_word_list(tmp_path / "dict.word.xx.txt") == [b"b", b"a"]


def write_table(folder, names):
    (folder / "t.tsv").write_text("".join(f"{name}\n" for name in names), "utf-8")
    np.save(folder / "t.npy", np.ones((len(names), 2)))


def test_pieces_with_whitespace_are_no_words(build, tmp_path, capsys):
    write_pair(tmp_path, "train", ["b a b"], [""])
    write_table(tmp_path, ["a", "b", "a b", "c\vd", "nbsp\xa0stays"])
    build("--words-of", tmp_path / "t.npy", "--min-count", "0")
    expected = [b"b", b"a", "nbsp\xa0stays".encode()]
    assert read_word_list(tmp_path / "dict.word.xx.txt") == expected
    output = capsys.readouterr().out
    assert "t.npy: 2 of 5 pieces hold whitespace and are left out" in output
    assert "3 of 3 words" in output


def test_a_table_has_no_limit_of_words_but_a_given_one(build, tmp_path, monkeypatch):
    monkeypatch.setattr(build.module, "MAX_WORDS", 2)
    write_pair(tmp_path, "train", ["b a b c"], [""])
    write_table(tmp_path, ["a", "b", "c"])
    path = tmp_path / "dict.word.xx.txt"
    flags = ("--min-count", "0", "--words-of", tmp_path / "t.npy")
    for given, count in ((flags[:2], 2), (flags, 3), ((*flags, "--max-words", "1"), 1)):
        build(*given)
        assert len(read_word_list(path)) == count
