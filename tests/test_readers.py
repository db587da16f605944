"""Whatever reads text finds the same lines in it."""

import io
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_prep import blocks
from data_prep.blocks import Stream, aligned_blocks, line_blocks
from data_prep.build_vocab import char_dictionary
from data_prep.build_word_dict import count_texts
from data_prep.cleaning import Normaliser
from data_prep.few_shot import sample
from data_prep.sentences import sentences_of
from fairseq_bytefusion import cli, compat
from fairseq_bytefusion.data.lines.line_dataset import LineDataset
from fairseq_bytefusion.evaluation import read_hypotheses, read_lines
from fairseq_bytefusion.generation import ByteTranslator, Translation
from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.char_symbols import symbol_of
from fairseq_bytefusion.text.lines import raw_lines, read_sentences
from fairseq_bytefusion.text.text_dictionary import encode_utf8
from fairseq_bytefusion.text.word_list import count_words

from .oracles.prepare import strip

TEXTS = [
    (b"\xef\xbb\xbffirst\r\nlast\r", [b"first", b"last\r"]),
    (b"", []),
    (b"\xef\xbb\xbf", []),
    (b"\xef\xbb\xbf\n", [b""]),
    (b"\xef\xbb\xbf\r\nb", [b"", b"b"]),
    (b"\xef\xbb\xbf\xef\xbb\xbfa\n", [b"\xef\xbb\xbfa"]),
    (b"a\n\xef\xbb\xbfb\n", [b"a", b"\xef\xbb\xbfb"]),
    (b"\xef\xbb", [b"\xef\xbb"]),
    (b"\n\n", [b"", b""]),
    (b"no end", [b"no end"]),
    (b"a\n\r", [b"a", b"\r"]),
    (b"a\r\r\nb\r\r", [b"a\r", b"b\r\r"]),
    (b" a\rb \n", [b" a\rb "]),
    (b"a\0b\x1a\n\0", [b"a\0b\x1a", b"\0"]),
    ("a\u2028b\x85c\vd\fe\x1cf\n".encode(), ["a\u2028b\x85c\vd\fe\x1cf".encode()]),
    (b"caf\xe9\n\xff\xfe\r\n\xc3", [b"caf\xe9", b"\xff\xfe", b"\xc3"]),
]


def of_file(path):
    with open(path, "rb") as file:
        return list(raw_lines(file))


def of_task(path):
    dataset = LineDataset(path, ByteDictionary())
    return [dataset.line_bytes(i) for i in range(len(dataset))]


def interactive(source):
    from fairseq_cli import interactive

    compat.read_interactive_lines_raw(read_sentences)
    return [line for lines in interactive.buffered_read(source, 2) for line in lines]


def with_stdin(path, read, make=lambda file: io.TextIOWrapper(file, encoding="ascii")):
    """What ``read()`` finds on a standard input made of a binary file."""
    original = sys.stdin
    with open(path, "rb") as file:
        sys.stdin = make(file)
        try:
            return read()
        finally:
            sys.stdin = original


def replaced(file):
    """A stream without bytes behind it."""
    return io.StringIO(file.read().decode("utf-8", "surrogateescape"))


class Echo:
    """A model that hears everything it is asked to translate."""

    def __init__(self):
        self.heard = []

    def translate(self, sentences, *args, **kwargs):
        self.heard += sentences
        return [Translation("", 0.0) for _ in sentences]


def of_translate():
    echo, original = Echo(), vars(ByteTranslator)["from_pretrained"]
    ByteTranslator.from_pretrained = lambda *args, **kwargs: echo
    try:
        assert cli.main(["translate", "model.pt", "--quiet"]) == 0
    finally:
        ByteTranslator.from_pretrained = original
    return echo.heard


def of_blocks(path, normalise=lambda block: block):
    with Stream(path) as stream:
        text = b"".join(map(normalise, line_blocks(stream)))
    return text.split(b"\n")[:-1]


def of_pairs(path):
    with Stream(path) as one, Stream(path) as other:
        blocks = list(aligned_blocks(one, other))
    assert all(block.source == block.target for block in blocks)
    return b"".join(block.source for block in blocks).split(b"\n")[:-1]


def of_sample(path):
    """In the order of the file: nobody else knows where the lines of a sample were."""
    found = [source for source, _ in sample((path, path), 99, seed=1)]
    return sorted(found, key=of_file(path).index)


READERS = {
    "text.lines": of_file,
    "tasks": of_task,
    "score": read_lines,
    "score, perhaps a log": lambda path: read_hypotheses(path).texts,
    "interactive": interactive,
    "interactive -": lambda path: with_stdin(path, lambda: interactive("-")),
    "interactive -, replaced": lambda path: with_stdin(
        path, lambda: interactive("-"), replaced
    ),
    "translate": lambda path: with_stdin(path, of_translate),
    "prepare": of_blocks,
    "prepare, a pair": of_pairs,
    "few_shot": of_sample,
    "build_vocab": lambda path: list(sentences_of([path])),
}


def shown(lines):
    """Lines as text: what is not UTF-8 may be bytes, surrogates or U+FFFD already."""
    return [encode_utf8(line).decode("utf-8", "replace") for line in lines]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("text", "lines"), TEXTS)
def test_every_reader_finds_the_same_lines(tmp_path, reader, text, lines):
    path = tmp_path / "text"
    path.write_bytes(text)
    assert shown(READERS[reader](str(path))) == shown(lines)


@settings(max_examples=200)
@given(
    content=st.lists(st.sampled_from([b"\n", b"\r", b"a", b"\xef\xbb\xbf", b"\xc3"])),
    block_bytes=st.sampled_from([1, 2, 7, 1 << 19]),
)
def test_blocks_of_any_size(content, block_bytes):
    content = b"".join(content)
    original, blocks.BLOCK_BYTES = blocks.BLOCK_BYTES, block_bytes
    try:
        with Stream("text", file=io.BytesIO(content)) as stream:
            text = b"".join(line_blocks(stream))
    finally:
        blocks.BLOCK_BYTES = original
    assert text.split(b"\n")[:-1] == list(raw_lines(io.BytesIO(content)))


# Files of several files have marks within, see the docstrings of what takes them away.


@pytest.mark.parametrize(("text", "lines"), TEXTS)
def test_what_prepare_makes_of_them_has_no_marks_left(tmp_path, text, lines):
    (tmp_path / "text").write_bytes(text)
    assert of_blocks(tmp_path / "text", Normaliser()) == list(map(strip, lines))


@pytest.mark.parametrize(("text", "lines"), TEXTS)
def test_words_are_counted_without_marks(tmp_path, text, lines):
    (tmp_path / "text").write_bytes(text)
    expected = count_words(map(strip, lines))
    if expected:
        assert count_texts([tmp_path / "text"]) == expected
    else:
        with pytest.raises(SystemExit, match="holds no word"):
            count_texts([tmp_path / "text"])


@pytest.mark.parametrize(("text", "lines"), TEXTS)
def test_characters_are_those_of_the_lines(tmp_path, text, lines):
    (tmp_path / "text").write_bytes(text)
    expected = Counter(map(symbol_of, "".join(shown(lines))))
    if expected:
        found, _ = char_dictionary([str(tmp_path / "text")])
        rows = (line.rpartition(" ") for line in found.split("\n")[:-1])
        assert {symbol: int(count) for symbol, _, count in rows} == expected
    else:
        with pytest.raises(ValueError, match="no text to make"):
            char_dictionary([str(tmp_path / "text")])
