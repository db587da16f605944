import gzip
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_prep import blocks
from fairseq_bytefusion.data.lines.line_index import build_line_index

from ..helpers import REPO
from ..oracles.prepare import clean, strip
from .helpers import everything, lines_of, numbered, recorded, run_pair, run_prepare, write

SCRIPT = REPO / "data_prep/prepare.py"
MARK = "\ufeff".encode()

# (source line, target line, what becomes of the pair)
CASES = [
    ("hallo", "hello", "kept"),
    ("hallo\r", "hello\r\r", "duplicate"),
    (MARK + b"hallo", "hello", "duplicate"),
    ("hallo", "hello ", "kept"),
    ("HALLO", "hello", "kept"),
    ("", "hello", "empty"),
    ("hallo", " \t\v", "empty"),
    ("hallo", "\u3000\u00a0\u2028", "empty"),
    ("", "", "empty"),
    ("\r", MARK, "empty"),
    ("ä" * 400, "a" * 800, "kept"),
    ("ä" * 401, "a" * 800, "too_long"),
    ("a" * 9, "a", "kept"),
    ("a" * 10, "a", "ratio"),
    (b"\xff\xfe", "hello", "not_utf8"),
    ("\u3042\u3044", "\u201cquote\u201d", "kept"),
    ("a\rb\u2028c\x85\0</s>", "a\tb", "kept"),
]


def test_every_reason(tmp_path):
    out, stats = run_pair(tmp_path, *zip(*((s, t) for s, t, _ in CASES)))
    expected = [
        tuple(side.encode() if isinstance(side, str) else side for side in case[:2])
        for case in CASES
        if case[2] == "kept"
    ]
    assert lines_of(out) == expected
    fates = [fate for _, _, fate in CASES]
    assert stats["splits"] == {"train": fates.count("kept")}
    reasons = {name: n for name, n in stats["reasons"].items() if n}
    assert reasons == {f: fates.count(f) for f in set(fates) - {"kept"}}
    assert stats["kept"] + stats["dropped"] == stats["read"] == len(CASES)
    assert recorded(out) == stats


def test_training_reads_what_was_written(tmp_path):
    out, stats = run_pair(tmp_path, *zip(*((s, t) for s, t, _ in CASES)))
    for side, lang in enumerate(("xx", "en")):
        path = out / f"train.xx-en.{lang}"
        index = build_line_index(str(path))
        raw = path.read_bytes()
        read = [raw[s : s + n - 1] for s, n in zip(index.starts, index.sizes)]
        assert read == [pair[side] for pair in lines_of(out)]


PIECES = ["a", "bb", "é", "\r", "\ufeff", " ", "\u3000", "語", "x" * 11, "\n"]
TEXT = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=40),
    st.sampled_from([1, 7, 1 << 19]),
)
def test_agrees_with_the_oracle(tmp_path_factory, pairs, block_bytes):
    folder = tmp_path_factory.mktemp("case")
    pairs = [tuple(side.replace("\n", "").encode() for side in p) for p in pairs]
    pairs.append((b"one kept pair", b"whatever"))
    excluded, held_out = pairs[0][0], pairs[-2][1]
    extra = write(folder / "exclude", [excluded])
    valid = write(folder / "v.xx", ["valid source"]), write(folder / "v.en", [held_out])
    old, blocks.BLOCK_BYTES = blocks.BLOCK_BYTES, block_bytes
    try:
        out, stats = run_pair(
            *(folder, *zip(*pairs), "--max-bytes", 20, "--exclude", extra),
            *("--valid-pair", *valid),
        )
    finally:
        blocks.BLOCK_BYTES = old
    kept, dropped = clean(
        pairs, 20, 9.0, {strip(excluded)}, {strip(held_out), b"valid source"}
    )
    assert lines_of(out) == kept
    assert {r: n for r, n in stats["reasons"].items() if n} == dropped


def test_workers_do_not_change_the_output(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 2000)
    sources, targets = numbered(1000)
    exclude = write(tmp_path / "exclude", [targets[3]])
    made = []
    for workers in (1, 3):
        out, _ = run_pair(
            *(tmp_path, sources, targets, "--num-valid", 50, "--num-test", 50),
            *("--workers", workers, "--nfc", "--moses", "--exclude", exclude),
            out=tmp_path / str(workers),
        )
        made.append(everything(out))
    assert made[0] == made[1]
    assert len(made[0]) == 7


def test_errors_of_workers_reach_the_user(tmp_path):
    with pytest.raises(ValueError, match="no training pair is left of 2 read .*2 empty"):
        run_pair(tmp_path, ["", ""], ["a", "b"], "--workers", 2)
    assert not list((tmp_path / "out").iterdir())


def test_drawn_sets(tmp_path):
    sources, targets = numbered(500)
    sources += ["satz nummer 1"] * 30  # many translations of one sentence
    targets += [f"another {i}" for i in range(30)]
    flags = "--num-valid", 100, "--num-test", 60
    out, stats = run_pair(tmp_path, sources, targets, *flags)
    assert stats["splits"]["valid"] == 100
    assert stats["splits"]["test"] == 60
    assert stats["kept"] + stats["dropped"] == stats["read"] == 530
    test, valid, train = (lines_of(out, split) for split in ("test", "valid", "train"))
    for side in (0, 1):
        parts = [{pair[side] for pair in split} for split in (test, valid, train)]
        assert len(parts[0]) == 60
        assert len(parts[1]) == 100
        assert not parts[0] & parts[1]
        assert not (parts[0] | parts[1]) & parts[2]

    again, _ = run_pair(tmp_path, sources[::-1], targets[::-1], *flags, out=tmp_path / "b")
    assert sorted(lines_of(again, "test")) == sorted(test)  # content decides, not order
    other, _ = run_pair(tmp_path, sources, targets, *flags, "--seed", 2, out=tmp_path / "c")
    assert sorted(lines_of(other, "test")) != sorted(test)


def test_leaks_from_test_files_are_dropped_and_counted(tmp_path):
    plain = write(tmp_path / "news.xx", ["ein testsatz", "", "noch einer"])
    zipped = tmp_path / "news.en.gz"
    zipped.write_bytes(gzip.compress(MARK + b"a test sentence\r\n\n"))
    sources = ["ein testsatz", "anders", "ein testsatz ", "gut"]
    targets = ["something", "a test sentence", "fine", "good"]
    out, stats = run_pair(tmp_path, sources, targets, "--exclude", plain, zipped)
    assert stats["reasons"]["excluded"] == 2
    assert lines_of(out) == [(b"ein testsatz ", b"fine"), (b"gut", b"good")]


def test_given_test_sets_are_kept_line_for_line(tmp_path):
    sources, targets = (
        ["", "doppelt", "doppelt", "x" * 2000],
        ["a", "twice\r", "twice", "y"],
    )
    test = write(tmp_path / "t.xx", sources), write(tmp_path / "t.en", targets)
    out, stats = run_pair(
        *(tmp_path, ["doppelt", "neu", "alt"], ["more", "new", "a"], "--test-pair", *test)
    )
    expected = [s.encode() for s in sources], [t.rstrip("\r").encode() for t in targets]
    assert lines_of(out, "test") == list(zip(*expected))
    assert lines_of(out) == [(b"neu", b"new")]
    assert stats["reasons"]["held_out"] == 2
    assert stats["splits"] == {"test": 4, "train": 1}


def test_nfc(tmp_path):
    out, stats = run_pair(
        *(tmp_path, ["e\u0301", "\u00e9", "\u0301x"], ["a", "a", "b"], "--nfc"),
        *("--exclude", write(tmp_path / "no", ["nothing"])),
    )
    assert stats["reasons"]["duplicate"] == 1
    assert lines_of(out)[0][0].decode() == "\u00e9"
    assert lines_of(out)[1][0].decode() == "\u0301x"  # nothing to compose with


@pytest.mark.parametrize(
    "targets, sizes", [(["a"], "has 2, .*has 1"), (["a", "b", "c"], "has 2, .*has 3")]
)
def test_unequal_files(tmp_path, targets, sizes):
    with pytest.raises(ValueError, match=f"in.xx {sizes}.*download them again"):
        run_pair(tmp_path, ["a", "b"], targets)
    assert not list((tmp_path / "out").iterdir())


def test_empty_files(tmp_path):
    with pytest.raises(ValueError, match="no sentence pair in .*in.xx, .*in.en"):
        run_pair(tmp_path, [], [])


@pytest.mark.parametrize("keep", [0.5, 0.95])
def test_damaged_gzip(tmp_path, keep):
    raw = gzip.compress("\n".join(numbered(3000)[0]).encode())
    raw = raw[: int(keep * len(raw))]
    path = tmp_path / "in.xx.gz"
    path.write_bytes(raw)
    other = write(tmp_path / "in.en", ["a"] * 3000)
    with pytest.raises(ValueError, match="in.xx.gz is damaged or cut short.*download it"):
        run_prepare(tmp_path / "out", "--pair", path, other)
    assert not list((tmp_path / "out").iterdir())


def test_a_file_without_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "MAX_LINE_BYTES", 1 << 20)
    with pytest.raises(ValueError, match="line 1 is longer than 1 MiB"):
        run_pair(tmp_path, ["x" * (1 << 22)], ["y"])


@pytest.mark.parametrize(
    "flags, message",
    [
        ([], "no input given"),
        (["--pair", "nope.xx", "nope.en"], "no such file: nope.xx"),
        (["--pair", "a", "b", "-s", "de-DE"], "de-DE cannot be part of train"),
        (["--pair", "a", "b", "-s", "en"], "are both en"),
        (["--pair", "a", "b", "--no-dedup", "--num-test", 5], "leave out --no-dedup"),
        (["--pair", "{0}", "{1}", "--num-test", 9], "too few distinct pairs"),
        (["--test-pair", "{0}", "{1}", "--num-test", 9], "leave out --num-test"),
        (["--test-pair", "{0}", "{1}", "--num-valid", 9], "none given"),
        (["--pair", "{0}", "{1}", "--max-bytes", 1], "2 too_long.: loosen the rule"),
        (
            ["--tsv", "{0}"],
            "malformed.: check that this is .*--columns",
        ),
        (["--pair", "{0}", "{2}"], "2 not_utf8.: convert it to UTF-8"),
        (["--pair", "{0}", "{1}", "--num-test", 2], "dropped: none.: all went into valid"),
        (["--pair", "{0}", "{1}", "--exclude", "{0}"], "2 excluded.: see whether a train"),
    ],
)
def test_bad_options(tmp_path, flags, message):
    files = write(tmp_path / "f.xx", ["aa", "bb"]), write(tmp_path / "f.en", ["cc", "dd"])
    files = (*files, write(tmp_path / "f.latin1", [b"caf\xe9", b"\xe4"]))
    with pytest.raises((ValueError, OSError), match=message):
        run_prepare(tmp_path / "out", *(str(flag).format(*files) for flag in flags))


def test_a_bad_input_is_one_sentence_on_the_command_line(tmp_path):
    command = [sys.executable, SCRIPT, "-s", "xx", "-t", "en", "--out", tmp_path / "out"]
    result = subprocess.run(
        [*map(str, command), "--tsv", "nope.tsv"], capture_output=True, text=True, cwd=REPO
    )
    assert result.returncode == 1
    assert result.stderr.startswith("prepare.py: no such file: nope.tsv.")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("flag", "value", "message"),
    [
        ("--num-valid", "-5", "-5 is not a whole number from 0 on"),
        ("--workers", "0", "0 is not a whole number from 1 on"),
        ("--max-bytes", "4k", "4k is not a whole number from 1 on"),
        ("--columns", "1", "1 must be two numbers, as in 1,2"),
        ("--columns", "a,b", "a is not a whole number from 1 on"),
    ],
)
def test_a_bad_number_is_explained(tmp_path, capsys, flag, value, message):
    with pytest.raises(SystemExit):
        run_prepare(tmp_path / "out", f"{flag}={value}")
    assert f"argument {flag}: {message}" in capsys.readouterr().err
