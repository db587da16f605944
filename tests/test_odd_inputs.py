"""Every reader of text and every kind of file that is not what its name says."""

import bz2
import gzip
import lzma
import os

import pytest

from fairseq_bytefusion.data.pairs.pair_files import find_pair
from fairseq_bytefusion.text import CharDictionary
from fairseq_bytefusion.text.word_list import read_word_list

from .data_prep.helpers import zstandard_compress
from .test_readers import READERS, shown

TEXT = "eins zwei\nhällo\n\N{GRINNING FACE} drei\n"
MARKED = "\ufeff" + TEXT
#: kind -> content, and what a reader that cannot unpack or decode says of it
FOREIGN = {
    "UTF-16-LE": (MARKED.encode("utf-16-le"), "is UTF-16-LE text, not UTF-8: convert it"),
    "UTF-16-BE": (MARKED.encode("utf-16-be"), "is UTF-16-BE text, not UTF-8: convert it"),
    "UTF-32-LE": (MARKED.encode("utf-32-le"), "is UTF-32-LE text, not UTF-8: convert it"),
    "UTF-32-BE": (MARKED.encode("utf-32-be"), "is UTF-32-BE text, not UTF-8: convert it"),
    "gzip": (gzip.compress(TEXT.encode()), "is compressed (gzip)"),
    "bzip2": (bz2.compress(TEXT.encode()), "is compressed (bzip2)"),
    "xz": (lzma.compress(TEXT.encode()), "is compressed (xz)"),
    "zstd": (lambda: zstandard_compress(TEXT.encode()), "is compressed (zstd)"),
}
#: kind -> content that every reader refuses, and what it says
REFUSED = {
    "UTF-16-LE": (TEXT.encode("utf-16-le"), "is UTF-16-LE text, not UTF-8: convert it"),
    "UTF-16-BE": (TEXT.encode("utf-16-be"), "is UTF-16-BE text, not UTF-8: convert it"),
    "UTF-32-LE": (TEXT.encode("utf-32-le"), "is UTF-32-LE text, not UTF-8: convert it"),
    "UTF-32-BE": (TEXT.encode("utf-32-be"), "is UTF-32-BE text, not UTF-8: convert it"),
    "zip": (b"PK\x03\x04" + TEXT.encode(), "is a zip archive, not text: unpack it first"),
}
SAME = {
    "plain": TEXT.encode(),
    "CRLF": TEXT.replace("\n", "\r\n").encode(),
    "BOM": MARKED.encode(),
    "some NULs": TEXT.replace("drei", "dr\0i").encode(),
}
NAMES = {
    "plain.gz": b"in.txt.gz",
    "plain.xz": b"in.xz",
    "a space": b"in 1.txt",
    "a colon": b"in:1.txt",
    "a line end": b"in\n1.txt",
    "not UTF-8": b"in\xff.txt",
}
LINES = TEXT.split("\n")[:-1]
AS_IT_LIES = [name for name in READERS if name.startswith(("tasks", "interac", "transl"))]
# The bytes behind a stream that was replaced are gone: it is text already.
AS_IT_LIES.remove("interactive -, replaced")
ONLY_READ = [name for name in READERS if name.startswith(("score", "prep", "few", "build"))]
BY_PATH = ["tasks", "interactive", *ONLY_READ]


def content_of(entry):
    return entry() if callable(entry) else entry


def read(name, path):
    if name == "few_shot":  # nobody knows the order of a sample
        from data_prep.few_shot import sample

        order = [line.encode() for line in LINES]
        return sorted((s for s, _ in sample((path, path), 9, 1)), key=order.index)
    return READERS[name](path)


def refusal(name, path, capsys):
    """What a reader says instead of reading."""
    with pytest.raises((ValueError, OSError, AssertionError)) as error:
        READERS[name](path)
    return f"{error.value} {capsys.readouterr().err}"


@pytest.mark.parametrize("name", ONLY_READ)
@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_only_read_is_unpacked_and_decoded(tmp_path, name, kind):
    path = tmp_path / "in.txt"
    path.write_bytes(content_of(FOREIGN[kind][0]))
    assert shown(read(name, str(path))) == LINES


@pytest.mark.parametrize("name", AS_IT_LIES)
@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_used_as_it_lies_is_refused(tmp_path, name, kind, capsys):
    path = tmp_path / "in.txt"
    content, message = FOREIGN[kind]
    path.write_bytes(content_of(content))
    assert f"in.txt {message}" in refusal(name, str(path), capsys)


@pytest.mark.parametrize("name", [*ONLY_READ, *AS_IT_LIES])
@pytest.mark.parametrize("kind", REFUSED)
def test_what_no_reader_can_know_is_refused(tmp_path, name, kind, capsys):
    path = tmp_path / "in.txt"
    content, message = REFUSED[kind]
    path.write_bytes(content)
    assert f"in.txt {message}" in refusal(name, str(path), capsys)


@pytest.mark.parametrize("read_list", [CharDictionary.from_file, read_word_list])
@pytest.mark.parametrize("kind", REFUSED)
def test_lists_are_plain(tmp_path, read_list, kind):
    path = tmp_path / "in.txt"
    path.write_bytes(REFUSED[kind][0])
    with pytest.raises(ValueError, match=f"in.txt {REFUSED[kind][1]}"):
        read_list(str(path))


@pytest.mark.parametrize(
    "content", ["a 2\nb 1\n", "a 2\nb 1", "a 2\r\nb 1\r\n", "\ufeffa 2\nb 1\n"]
)
def test_lists_have_the_lines_of_texts(tmp_path, content):
    path = tmp_path / "in.txt"
    path.write_bytes(content.encode())
    assert read_word_list(str(path)) == [b"a", b"b"]
    assert CharDictionary.from_file(str(path)).symbols[-2:] == ["a", "b"]


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", SAME)
def test_text_is_text(tmp_path, name, kind):
    if (name, kind) == ("few_shot", "some NULs"):
        pytest.skip("in another order")
    path = tmp_path / "in.txt"
    path.write_bytes(SAME[kind])
    nul = "\0" if kind == "some NULs" else "e"
    assert shown(read(name, str(path))) == [s.replace("drei", f"dr{nul}i") for s in LINES]


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", NAMES)
def test_any_name_will_do(tmp_path, name, kind):
    path = os.path.join(tmp_path, os.fsdecode(NAMES[kind]))
    with open(path, "wb") as file:
        file.write(TEXT.encode())
    assert shown(read(name, path)) == LINES
    os.symlink(path, tmp_path / "link")
    assert shown(read(name, str(tmp_path / "link"))) == LINES


@pytest.mark.parametrize("name", BY_PATH)
def test_what_is_no_file(tmp_path, name):
    os.symlink("loop", tmp_path / "loop")
    os.symlink("nowhere", tmp_path / "broken")
    (tmp_path / "folder").mkdir()
    for path in ("loop", "broken", "folder", "missing"):
        with pytest.raises(OSError, match=path):
            READERS[name](str(tmp_path / path))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("name", BY_PATH)
def test_what_may_not_be_read(tmp_path, name):
    (tmp_path / "secret").write_bytes(b"a\n")
    (tmp_path / "secret").chmod(0)
    with pytest.raises(PermissionError, match="secret"):
        READERS[name](str(tmp_path / "secret"))


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink("x", path)])
def test_a_data_directory_says_what_will_not_do(tmp_path, make):
    make(tmp_path / "train.xx-en.xx")
    with pytest.raises(FileNotFoundError, match=r"en\.xx is a folder, a pipe or a link"):
        find_pair(tmp_path, "train", "xx", "en")
    (tmp_path / "train.xx-en.xx").rename(tmp_path / "train.xx-en.en")
    (tmp_path / "train.xx-en.xx").write_bytes(b"a\n")
    with pytest.raises(FileNotFoundError, match=r"en\.en is a folder, a pipe or a link"):
        find_pair(tmp_path, "train", "xx", "en")


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_a_data_directory_says_what_is_to_be_unpacked(tmp_path, ending):
    (tmp_path / f"train.en-xx.xx{ending}").write_bytes(b"")
    with pytest.raises(FileNotFoundError, match=rf"xx{ending} is compressed: unpack it"):
        find_pair(tmp_path, "train", "xx", "en")
