"""The readers of labelled text: what they read, and what they refuse."""

import logging

import pytest

from fairseq_bytefusion.text.columns import read_columns
from fairseq_bytefusion.text.conll import read_conll

from ..test_odd_inputs import FOREIGN, REFUSED, content_of

PLAIN = "New\tB-LOC\nYork\tI-LOC\n\nkal\tO\n"
WORDS, LABELS = [["New", "York"], ["kal"]], [["B-LOC", "I-LOC"], ["O"]]


def written(folder, content, name="train.conll"):
    path = folder / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return str(path)


SAME = {
    "plain": PLAIN,
    "no trailing newline": PLAIN[:-1],
    "an empty line at the end": PLAIN + "\n",
    "empty lines all over": "\n\n" + PLAIN.replace("\n\n", "\n\n\n") + "\n\n",
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "BOM": "\ufeff" + PLAIN,
    "spaces": PLAIN.replace("\t", " "),
    "several spaces": PLAIN.replace("\t", "   "),
    "more columns": PLAIN.replace("\t", "\tx\t"),
    "comments": "# sent 1\n" + PLAIN.replace("\n\n", "\n\n# sent 2\n"),
    "comments among spaces": "# a b c\n" + PLAIN.replace("\t", " "),
}


@pytest.mark.parametrize("content", SAME.values(), ids=SAME)
def test_a_word_a_line(tmp_path, content):
    found = read_conll(written(tmp_path, content))
    assert found.words == WORDS
    assert found.labels == LABELS


WORDS_OF = {  # content -> words and labels
    "#\tO\n": ([["#"]], [["O"]]),
    "#a O\n": ([["#a"]], [["O"]]),
    "# \tO\n": None,  # white space inside a word
    "##\tO\n# x\ty\n": None,
    "a\u2028b\tO\n\u00a0\tX\n": ([["a\u2028b", "\u00a0"]], [["O", "X"]]),
    "a\tO\n \n": None,
    "a\0\tO\n": ([["a\0"]], [["O"]]),
    "</s>\t</s>\n": ([["</s>"]], [["</s>"]]),
}


@pytest.mark.parametrize("content", [c for c, found in WORDS_OF.items() if found])
def test_odd_words(tmp_path, content):
    assert read_conll(written(tmp_path, content)) == WORDS_OF[content]


def test_any_column_holds_the_label(tmp_path):
    path = written(tmp_path, "a\tX\tp\nb\tY\nc\tZ\tq\tr\n")
    assert read_conll(path, 2).labels == [["X", "Y", "Z"]]
    with pytest.raises(ValueError, match=r"conll, line 2: 2 columns, where the first"):
        read_conll(path)
    with pytest.raises(ValueError, match="line 2: 2 columns, and --label-column is 3"):
        read_conll(path, 3)


def test_comments_and_broken_bytes_are_counted(tmp_path, caplog):
    path = written(tmp_path, b"# one\n# two\ncaf\xe9\tO\n")
    with caplog.at_level(logging.INFO):
        assert read_conll(path).words == [["caf\udce9"]]
    assert f"{path}: 2 lines are comments" in caplog.text
    assert f"{path}: 1 of 3 lines are not UTF-8" in caplog.text


CONLL_REFUSALS = {
    "nothing": ("", None, "conll holds no word"),
    "a mark alone": ("\ufeff", None, "conll holds no word"),
    "comments alone": ("# a\n\n# b\n", None, "conll holds no word"),
    "one column": ("a\n", None, "conll, line 1: one column, where a word and its label"),
    "a missing column": ("a\tO\nb\n", None, "line 2: 1 column, where the first line has 2"),
    "no such column": ("a\tO\n", 3, "line 1: 2 columns, and --label-column is 3"),
    "one too many": ("a\tO\nb\tX\tY\n", None, "line 2: 3 columns, where the first"),
    "a space in a word": ("New York\tO\n", None, "line 1: white space inside the word"),
    "a tab stop in a word": ("a\vb\tO\n", None, "line 1: white space inside the word"),
    "a lone carriage return": ("a\rb\tO\n", None, "line 1: white space inside the word"),
    "a comment with a tab": ("# a\tO\n", None, "white space inside the word '# a'"),
    "white space alone": ("a\tO\n \n", None, "line 2: nothing but white space"),
    "tabs alone": ("a\tO\n\t\n", None, "line 2: nothing but white space"),
    "no word": ("\tO\n", None, "line 1: the first column, the word, is empty"),
    "no label": ("a\t\n", None, "line 1: the label in column 2 is empty"),
    "a space in a label": ("a\tB LOC\n", None, "line 1: white space inside the label"),
    "a broken label": (b"a\t\xff\n", None, "line 1: the label .* is not UTF-8"),
    "the word as label": ("a\tO\n", 1, "--label-column 1 must be at least 2: column 1 is"),
}


@pytest.mark.parametrize(
    ("content", "column", "message"), CONLL_REFUSALS.values(), ids=CONLL_REFUSALS
)
def test_refusals_of_conll(tmp_path, content, column, message):
    with pytest.raises(ValueError, match=message):
        read_conll(written(tmp_path, content), column)


TSV = "kal do\tA\n\tB\nx  y \tA b\n"


@pytest.mark.parametrize(
    "content", [TSV, TSV[:-1], TSV.replace("\n", "\r\n"), "\ufeff" + TSV]
)
def test_a_sentence_a_line(tmp_path, content):
    found = read_columns(written(tmp_path, content, "train.tsv"))
    assert found == (["kal do", "", "x  y "], ["A", "B", "A b"])


def test_columns_of_choice(tmp_path):
    path = written(tmp_path, "1\tA\tkal\n2\tB\tdo\tmore\n")
    assert read_columns(path, 3, 2) == (["kal", "do"], ["A", "B"])
    assert read_columns(path, 3, None) == (["kal", "do"], None)


TSV_REFUSALS = {
    "nothing": ("", (), "tsv has no lines"),
    "no tab": ("a\tA\nb\n", (), "tsv, line 2: 1 column, and --label-column is 2"),
    "an empty line": ("a\tA\n\nb\tB\n", (), "tsv, line 2: 1 column, and --label-column"),
    "no text": ("a\tA\n", (3, 2), "tsv, line 1: 2 columns, and --text-column is 3"),
    "no label": ("a\t\n", (), "tsv, line 1: the label in column 2 is empty"),
    "a label of spaces": ("a\t  \n", (), "tsv, line 1: the label in column 2 is empty"),
    "a broken label": (b"a\t\xff\n", (), "line 1: the label .* is not UTF-8"),
}


@pytest.mark.parametrize(
    ("content", "columns", "message"), TSV_REFUSALS.values(), ids=TSV_REFUSALS
)
def test_refusals_of_tsv(tmp_path, content, columns, message):
    with pytest.raises(ValueError, match=message):
        read_columns(written(tmp_path, content, "train.tsv"), *columns)


@pytest.mark.parametrize("read", [read_conll, read_columns])
@pytest.mark.parametrize("kind", [*FOREIGN, *REFUSED])
def test_what_is_no_plain_text(tmp_path, read, kind):
    content, message = {**REFUSED, **FOREIGN}[kind]
    with pytest.raises(ValueError) as error:
        read(written(tmp_path, content_of(content)))
    assert f"train.conll {message}" in str(error.value)
