"""Words and characters of labelled text: ``--labels``."""

import pytest

from fairseq_bytefusion.text import CharDictionary
from fairseq_bytefusion.text.word_list import read_word_list

from ..helpers import script

CONLL = "kal\tO\ndo\tX\n\nkal\tO\n"
TSV = "1\tkal  hai\tA\n2\t\tB\n"


def run(name, folder, *flags, **kwargs):
    return script(f"data_prep/{name}.py", folder, "--labels", *flags, **kwargs)


@pytest.mark.parametrize(
    ("files", "flags", "words"),
    [
        ({"train.conll": CONLL}, (), b"kal 2\ndo 1\n"),
        ({"train.tsv": TSV}, ("--text-column", "2"), b"hai 1\nkal 1\n"),
        (
            {"train.conll": CONLL, "train.tsv": TSV},
            ("--text-column", "2"),
            b"kal 3\ndo 1\nhai 1\n",
        ),
        ({"train.conll": CONLL}, ("--max-words", "1"), b"kal 2\n"),
    ],
)
def test_words(tmp_path, files, flags, words):
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    run("build_word_dict", tmp_path, "--min-count", "1", *flags)
    path = tmp_path / "dict.word.txt"
    assert path.read_bytes() == words
    assert read_word_list(str(path))


@pytest.mark.parametrize("content", [CONLL, "kal\tO\n\ndo\tX\n"])
def test_characters_with_a_space_in_any_case(tmp_path, content):
    (tmp_path / "train.conll").write_text(content)
    run("build_vocab", tmp_path, "--kinds", "char")
    dictionary = CharDictionary.from_file(str(tmp_path / "dict.char.txt"))
    assert sorted(dictionary.symbols[4:]) == [" ", "a", "d", "k", "l", "o"]


MISTAKES = {
    "languages": ("build_word_dict", ("-s", "de"), "--labels is of text without languages"),
    "pieces": ("build_vocab", (), "give --kinds char"),
    "no file": ("build_word_dict", (), "no such file: "),
    "a column": ("build_word_dict", ("--text-column", "9"), "and --text-column is 9"),
}


@pytest.mark.parametrize(("name", "flags", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(tmp_path, name, flags, message):
    if "--text-column" in flags:
        (tmp_path / "train.tsv").write_text(TSV)
    result = run(name, tmp_path, *flags, check=False)
    assert result.returncode != 0
    assert message in result.stderr.decode().strip().split("\n")[-1]


@pytest.mark.parametrize("name", ["build_word_dict", "build_vocab"])
def test_languages_or_labels_are_needed(tmp_path, name):
    for flags, message in (
        ((), "give -s and -t, or --labels"),
        # Text of one language has a list of words.
        *[(("-s", "de"), "give -s and -t, or --labels")] * (name == "build_vocab"),
        (("-s", "a", "-t", "b", "--text-column", "2"), "--text-column does nothing"),
    ):
        result = script(f"data_prep/{name}.py", tmp_path, *flags, check=False)
        assert result.returncode != 0
        assert message in result.stderr.decode()
