"""Every reader of prepare.py and every kind of file that is not what its name says."""

import io
import os
import threading

import pytest

from data_prep.few_shot import few_shot

from ..helpers import write_pair
from ..test_odd_inputs import FOREIGN, NAMES, REFUSED, SAME, content_of
from .helpers import everything, lines_of, recorded, run_pair, run_prepare, write
from .test_readers import TMX, zip_of

LINES = [line.encode() for line in SAME["plain"].decode().split("\n")[:-1]]
#: flag -> what it does with one file of text, which is on both sides
READERS = {
    "--pair": lambda path: ("--pair", path, path),
    "--tsv": lambda path: ("--tsv", path, "--columns", "1,1"),
    "--test-pair": lambda path: ("--test-pair", path, path),
}


def pairs_of(folder, flag, path):
    run_prepare(folder, *READERS[flag](path))
    return lines_of(folder, "test" if flag == "--test-pair" else "train")


@pytest.mark.parametrize("flag", READERS)
@pytest.mark.parametrize("kind", [*FOREIGN, *SAME, *NAMES])
def test_what_is_only_read_is_unpacked_and_decoded(tmp_path, flag, kind):
    path = os.path.join(tmp_path, os.fsdecode(NAMES.get(kind, b"in.txt")))
    content = FOREIGN[kind][0] if kind in FOREIGN else SAME.get(kind, SAME["plain"])
    with open(path, "wb") as file:
        file.write(content_of(content))
    nul = b"\0" if kind == "some NULs" else b"e"
    expected = [line.replace(b"drei", b"dr" + nul + b"i") for line in LINES]
    assert pairs_of(tmp_path / "out", flag, path) == list(zip(expected, expected))
    assert recorded(tmp_path / "out")["inputs"][0][0] == path


@pytest.mark.parametrize("flag", [*READERS, "--exclude"])
@pytest.mark.parametrize("kind", REFUSED)
def test_what_no_reader_can_know_is_refused(tmp_path, flag, kind):
    path = tmp_path / "in.txt"
    path.write_bytes(REFUSED[kind][0])
    flags = READERS.get(flag, lambda path: ("--tsv", os.devnull, "--exclude", path))(path)
    with pytest.raises(ValueError, match=f"in.txt {REFUSED[kind][1]}"):
        run_prepare(tmp_path / "out", *flags)
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("kind", [*FOREIGN, *SAME])
def test_any_text_can_be_excluded(tmp_path, kind):
    content = FOREIGN[kind][0] if kind in FOREIGN else SAME[kind]
    (tmp_path / "news").write_bytes(content_of(content))
    sources = ["hällo", "neu"]
    out, stats = run_pair(tmp_path, sources, ["a", "b"], "--exclude", tmp_path / "news")
    assert stats["reasons"]["excluded"] == 1
    assert lines_of(out) == [(b"neu", b"b")]


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_sample_is_plain_whatever_it_is_of(tmp_path, kind):
    data = tmp_path / "data"
    data.mkdir()
    for name in ("train.xx-en.xx", "train.xx-en.en", "test.xx-en.xx", "test.xx-en.en"):
        (data / name).write_bytes(content_of(FOREIGN[kind][0]))
    (folder,) = few_shot(str(data), "xx", "en", [3], str(tmp_path / "few"))
    assert sorted(lines_of(folder)) == sorted(zip(LINES, LINES))
    marked = (tmp_path / "few/3/test.xx-en.en").read_bytes()
    assert marked.decode("utf-8-sig").split("\n")[:-1] == [s.decode() for s in LINES]


@pytest.mark.parametrize("ending", [".bz2", ".xz", ".zst"])
def test_folders_of_other_endings(tmp_path, ending):
    for lang in ("xx", "en"):
        write(tmp_path / f"train.{lang}{ending}", LINES)  # plain: content decides
    run_prepare(tmp_path / "out", "--folder", tmp_path)
    assert lines_of(tmp_path / "out") == list(zip(LINES, LINES))


@pytest.mark.parametrize(
    "flags",
    [
        *(["--pair", "{}", "{}"], ["--tsv", "{}"], ["--tmx", "{}"], ["--moses-zip", "{}"]),
        *(["--valid-pair", "{}", "{}"], ["--test-pair", "{}", "{}"]),
        *(["--folder", "{}"], ["--flores", "{}"]),
        ["--tsv", "{good}", "--exclude", "{}"],
    ],
    ids=lambda flags: flags[-2],
)
def test_what_is_no_file(tmp_path, flags):
    good = write(tmp_path / "good.tsv", ["a\tb"])
    os.symlink("loop", tmp_path / "loop")
    os.symlink("nowhere", tmp_path / "broken")
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_bytes(b"a\n")
    of_folder = flags[0] in ("--folder", "--flores")
    for name in ("loop", "broken", "missing", "text" if of_folder else "folder"):
        path = str(tmp_path / name)
        with pytest.raises((OSError, ValueError), match=name) as error:
            run_prepare(tmp_path / "out", *(f.format(path, good=good) for f in flags))
        assert "[Errno" not in str(error.value) or error.value.filename == path
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("kind", NAMES)
def test_archives_of_any_name(tmp_path, kind):
    name = os.path.join(os.fsencode(tmp_path), NAMES[kind])
    path = zip_of(tmp_path / "zip", {"A.xx": "hallo\n", "A.en": "hello\n"})
    os.rename(path, name + b".zip")
    with open(name + b".tmx", "wb") as file:
        file.write(TMX.encode())
    zipped, tmx = os.fsdecode(name + b".zip"), os.fsdecode(name + b".tmx")
    run_prepare(tmp_path / "out", "--moses-zip", zipped, "--tmx", tmx)
    assert recorded(tmp_path / "out")["inputs"] == [[zipped], [tmx]]


@pytest.mark.parametrize("flag", READERS)
def test_pipes(tmp_path, flag):
    if flag != "--tsv":  # one pipe a side
        flags = flag, str(tmp_path / "in"), write(tmp_path / "other", LINES)
    else:
        flags = READERS[flag](str(tmp_path / "in"))
    os.mkfifo(tmp_path / "in")
    writer = threading.Thread(target=(tmp_path / "in").write_bytes, args=[SAME["CRLF"]])
    writer.start()
    run_prepare(tmp_path / "out", *flags)
    writer.join()
    split = "test" if flag == "--test-pair" else "train"
    assert lines_of(tmp_path / "out", split) == list(zip(LINES, LINES))


def test_a_sentence_for_names_with_line_ends(tmp_path, monkeypatch):
    from data_prep.output import run_script

    monkeypatch.setattr("sys.argv", ["prepare.py"])
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO()))
    with pytest.raises(SystemExit) as error:
        run_script((tmp_path / "a\nb").read_bytes)
    assert str(error.value) == f"prepare.py: {tmp_path}/a\\nb: No such file or directory"


# --- inputs among the outputs ------------------------------------------------------


@pytest.mark.parametrize("link", ["", "input", "folder", "output"])
@pytest.mark.parametrize("flag", ["--pair", "--exclude", "--valid-pair", "--folder"])
def test_inputs_are_never_replaced(tmp_path, link, flag):
    out = tmp_path / "data"
    out.mkdir()
    sides = [f"satz {i}" for i in range(50)], [f"sentence {i}" for i in range(50)]
    for split in ("train", "valid"):
        write_pair(out, split, *sides)
    split = "valid" if flag == "--valid-pair" else "train"
    paths = [str(out / f"{split}.xx-en.{lang}") for lang in ("xx", "en")]
    if link == "input":
        os.symlink(paths[0], tmp_path / "link")
        paths[0] = str(tmp_path / "link")
    elif link == "output":
        os.rename(paths[0], tmp_path / "there")
        os.symlink(tmp_path / "there", paths[0])
        paths[0] = str(tmp_path / "there")
    elif link == "folder":
        os.symlink(out, tmp_path / "link")
        paths = [str(tmp_path / "link" / os.path.basename(path)) for path in paths]
    other = write(tmp_path / "o.xx", ["a"]), write(tmp_path / "o.en", ["b"])
    rest = ["--pair", *other, "--valid-pair", *other]
    flags = {
        "--pair": ["--pair", *paths, "--num-valid", 10],
        "--exclude": [*rest, "--exclude", paths[0]],
        "--valid-pair": ["--pair", *other, "--valid-pair", *paths],
        "--folder": ["--folder", os.path.dirname(paths[1])],
    }[flag]
    before = everything(out)
    with pytest.raises(ValueError, match="is an input, and the output .* would replace it"):
        run_prepare(out, *flags)
    assert everything(out) == before


@pytest.mark.parametrize("through", ["folder", "file"])
def test_a_sample_never_replaces_what_it_is_of(tmp_path, through):
    data = tmp_path / "data"
    data.mkdir()
    write_pair(data, "train", [f"satz {i}" for i in range(9)], ["s"] * 9)
    (tmp_path / "few").mkdir()
    if through == "folder":
        os.symlink(data, tmp_path / "few/5")
    else:
        (tmp_path / "few/5").mkdir()
        os.symlink(data / "train.xx-en.xx", tmp_path / "few/5/train.xx-en.xx")
    before = everything(data)
    with pytest.raises(ValueError, match="is an input, and the output .*few/5/train.xx-en"):
        few_shot(str(data), "xx", "en", [3, 5], str(tmp_path / "few"))
    assert everything(data) == before
    assert os.listdir(tmp_path / "few") == ["5"]
