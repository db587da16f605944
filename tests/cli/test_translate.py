"""``bytefusion translate``: its files, and what it refuses."""

import gzip
import json
import os
import re

import pytest

from fairseq_bytefusion import cli
from fairseq_bytefusion.generation import ByteTranslator

from ..generation.kinds import translator_of
from ..helpers import bytefusion

pytestmark = pytest.mark.long

SHORT = ("--beam", "2", "--max-len-a", "0", "--max-len-b", "5")
LINES = b"kal subah\n\nalarm do\n"


@pytest.fixture(scope="module")
def model(toy_data, tmp_path_factory):
    return translator_of("dense", toy_data, tmp_path_factory.mktemp("model"))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").write_bytes(LINES)
    (tmp_path / "in.gz").write_bytes(gzip.compress(LINES))
    return tmp_path


def translate(model, *args, **kwargs):
    return bytefusion("translate", model[0], *args, **kwargs)


@pytest.fixture(scope="module")
def plain(model):
    return translate(model, *SHORT, stdin=LINES).stdout


@pytest.mark.parametrize("name", ["in", "in.gz"])
def test_an_input_file_and_its_progress(model, plain, folder, name):
    result = translate(model, *SHORT, "--input", folder / name)
    assert result.stdout == plain
    assert "3/3" in result.stderr.decode()
    assert result.stderr.decode().count("100%") == 1  # one bar, of the whole file


def test_a_bar_over_several_chunks_counts_parts(model, folder):
    (folder / "in").write_bytes(b"kal do\n" * 70 + b"kal subah. " * 8 + b"\n")
    flags = ("--input", folder / "in", "--batch-size", "1", "--split-long")
    result = translate(model, *SHORT, *flags)
    assert result.stdout.count(b"\n") == 71
    assert re.search(r"100%.* 7[2-9]/7[2-9] ", result.stderr.decode())


@pytest.mark.parametrize("name", ["out", "out.gz"])
def test_an_output_file(model, plain, folder, name):
    out = folder / name
    flags = (*SHORT, "--output", out, "--quiet")
    result = translate(model, *flags, stdin=LINES)
    assert (result.stdout, result.stderr) == (b"", b"")
    content = out.read_bytes()
    assert (gzip.decompress(content) if name == "out.gz" else content) == plain
    refused = translate(model, *flags, stdin=b"do\n", check=False)
    assert refused.returncode == 1
    error = f"bytefusion translate: {out}: the file exists and is kept: add --overwrite\n"
    assert refused.stderr.decode() == error
    assert out.read_bytes() == content
    translate(model, *flags, "--overwrite", stdin=LINES)
    assert out.read_bytes() == content  # neither its name nor the time is in it
    assert sorted(os.listdir(folder)) == sorted(["in", "in.gz", name])


def test_an_output_that_cannot_be_written(model, folder):
    for path, message in (
        (folder / "no" / "out", "No such file or directory"),
        (folder, "the file exists and is kept: add --overwrite"),
    ):
        result = translate(model, "--output", path, stdin=LINES, check=False)
        assert result.returncode == 1
        assert result.stderr.decode() == f"bytefusion translate: {path}: {message}\n"


def test_a_read_only_output(model, folder, monkeypatch):
    out = folder / "out"
    out.write_bytes(b"kept")
    # Whoever runs the tests as root may write everywhere.
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(out))
    flags = ("--output", out, "--overwrite")
    result = translate(model, *flags, stdin=LINES, check=False)
    assert result.stderr.decode() == f"bytefusion translate: {out}: Permission denied\n"
    assert out.read_bytes() == b"kept"


def test_a_failure_leaves_no_output(model, folder):
    (folder / "prefix").write_bytes(b"a\nb\n")
    flags = ("--output", folder / "out", "--prefix", folder / "prefix")
    assert translate(model, *flags, stdin=LINES, check=False).returncode == 1
    assert not (folder / "out").exists()


@pytest.mark.parametrize("flag", ["--prefix", "--score-target"])
@pytest.mark.parametrize(
    ("count", "is_file"), [(2, True), (2, False), (4, True), (4, False)]
)
def test_a_file_beside_the_input_has_as_many_lines(model, folder, flag, count, is_file):
    beside = folder / "beside"
    beside.write_bytes(b"k\n" + b"\n" * (count - 1))
    name = str(folder / "in") if is_file else "standard input"
    source = {"stdin": b""} if is_file else {"stdin": LINES}
    flags = (flag, beside, *(("--input", folder / "in") if is_file else ()))
    result = translate(model, *flags, "--quiet", **source, check=False)
    assert result.returncode == 1
    has = "3 or more" if not is_file and count == 2 else 3
    assert result.stderr.decode() == (
        f"bytefusion translate: {flag} {beside} has {count} lines, and {name} has {has}: "
        "give a line for each, an empty one where there is nothing to say\n"
    )


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--nbest", "9"], "--nbest 9 is more than --beam 5, which is all that"),
        (["--seed", "1"], "--seed does nothing without --sampling: add that"),
        (["--sampling-topp", "0.5"], "--sampling-topp does nothing"),
        (["--sampling", "--nbest", "2", "--beam", "3"], "--nbest is 2: make them equal"),
        (["--temperature", "0"], "--temperature must be above 0, not 0"),
        (["--max-len-a", "-1"], "--max-len-a must be at least 0, not -1"),
        (["--overwrite"], "--overwrite replaces the file of --output: give both"),
        (["--score-target", "x", "--beam", "3"], "--beam is for translating, and"),
        (["--score-target", "x", "--split-long"], "--split-long is for translating"),
        (["--input", "no/where"], "no/where: No such file or directory"),
    ],
)
def test_flags_that_cannot_be(model, capsys, flags, message):
    assert cli.main(["translate", str(model[0]), *flags]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("prefixes", "message"),
    [
        (["a"], "1 prefixes for 2 sentences: give one each"),
        (["a", "b"], "an empty sentence has the prefix 'b', and an empty"),
        (
            ["abcdef", ""],
            "the prefix 'abcdef' has 6 symbols, and its translation may have 5",
        ),
        ("ab", "a list of str is needed"),
    ],
)
def test_prefixes_that_cannot_be(model, prefixes, message):
    with pytest.raises((TypeError, ValueError), match=message):
        model[1].translate(["kal", ""], max_len_a=0, max_len_b=5, prefix=prefixes)


def test_targets_of_another_number(model):
    with pytest.raises(ValueError, match="2 sources and 1 targets: give a target a source"):
        model[1].score(["a", "b"], ["a"])


def test_a_prefix_may_be_as_long_as_its_translation(model):
    found = model[1].translate(
        ["kal"], max_len_a=0, max_len_b=5, prefix=["abcde"], progress=False
    )
    assert found[0].text == "abcde"


def test_a_prefix_changes_no_other_translation(model):
    texts = ["kal", "do", "alarm laga"]
    kwargs = {"max_len_a": 0, "max_len_b": 5, "progress": False, "beam": 2}
    plain = model[1].translate(texts, **kwargs)
    found = model[1].translate(texts, prefix=["", "ö", ""], **kwargs)
    assert [found[0].text, found[2].text] == [plain[0].text, plain[2].text]
    assert found[1].text.startswith("ö")


def test_samples(model):
    def draw(**options):
        found = model[1].translate(
            ["kal subah"] * 4, sampling=True, max_len_b=9, max_len_a=0,
            progress=False, **options,
        )  # fmt: skip
        return [t.text for t in found]

    assert draw(seed=3) == draw(seed=3)
    assert draw(seed=3) != draw(seed=4)
    assert len(set(draw(seed=3))) > 1  # equal sentences draw for themselves
    greedy = model[1].translate(["kal subah"], 1, max_len_b=9, max_len_a=0, progress=False)
    # So few symbols are left that there is nothing to draw.
    assert set(draw(seed=3, sampling_topp=1e-6, beam=1)) == {greedy[0].text}


def test_another_sample_each_time_without_a_seed(model):
    flags = ("--sampling", "--quiet", "--max-len-b", "20")
    found = {translate(model, *flags, stdin=b"kal\n").stdout for _ in range(3)}
    assert len(found) > 1
    seeded = {translate(model, *flags, "--seed", "5", stdin=b"kal\n").stdout for _ in "ab"}
    assert len(seeded) == 1


def test_what_is_cut_names_the_flag_that_splits(model):
    result = translate(model, *SHORT, "--json", stdin=b"kal do " * 9 + b"\n")
    assert "--split-long translates all of it" in result.stderr.decode()
    row = json.loads(result.stdout)
    assert (row["cut"], row["parts"]) == (True, 1)


def test_the_white_space_at_a_cut_is_kept(model):
    text = "kal subah alarm laga do.\u2003\t kal subah alarm laga do."
    parts = [t.text for t in model[1].translate(text.split("\u2003\t "), progress=False)]
    found = model[1].translate([text], split_long=True, progress=False)[0]
    assert found.text == "\u2003\t ".join(parts)


def test_python_and_an_unknown_option(model):
    with pytest.raises(TypeError, match="unexpected keyword argument 'best'"):
        ByteTranslator.translate(model[1], ["a"], best=2)
