"""Every flag of ``bytefusion translate`` over every kind of model."""

import json
import math
import re

import pytest

from fairseq_bytefusion import cli
from fairseq_bytefusion.generation import ByteTranslator
from fairseq_bytefusion.generation.draft_counts import count_draft
from fairseq_bytefusion.text.word_list import split_words

from ..helpers import fairseq, write_pair
from .kinds import KINDS, make_vocabularies, translator_of

pytestmark = pytest.mark.long

TEXTS = ["kal subah", "", "alarm  laga do", "x", "kal hai. " * 6 + "traffic", " do\t"]
LONG = 4  # is cut, and with split_long in parts
PREFIX = ["od", "", "ka", "", "la gala", "kal"]
SHORT = {"max_len_a": 0.0, "max_len_b": 9}
#: name -> flags beside --json, and what they are to ``ByteTranslator.translate``
FLAGS = {
    "none": ([], {}),
    "nbest": (["--nbest", "3"], {"nbest": 3}),
    "beam": (["--beam", "2", "--nbest", "2"], {"beam": 2, "nbest": 2}),
    "lenpen": (["--lenpen", "0.2"], {"lenpen": 0.2}),
    "temperature": (["--temperature", "0.5"], {"temperature": 0.5}),
    "sampling": (
        ["--sampling", "--seed", "7"],
        {"sampling": True, "seed": 7, "beam": 1},
    ),
    "sampling-topp": (
        ["--sampling", "--sampling-topp", "0.4", "--seed", "7", "--nbest", "2"],
        {"sampling": True, "sampling_topp": 0.4, "seed": 7, "beam": 2, "nbest": 2},
    ),
    "max-len": (["--max-len-b", "4"], {"max_len_b": 4}),
    "prefix": (["--prefix", "PREFIX"], {"prefix": PREFIX}),
    "split-long": (["--split-long"], {"split_long": True}),
    "alignments": (["--alignments"], {"alignments": True}),
    "all": (
        ["--split-long", "--alignments", "--prefix", "PREFIX", "--nbest", "2"],
        {"split_long": True, "alignments": True, "prefix": PREFIX, "nbest": 2},
    ),
}


@pytest.fixture(scope="module")
def data(toy_data, tmp_path_factory):
    return make_vocabularies(toy_data, tmp_path_factory.mktemp("kinds") / "data")


@pytest.fixture(scope="module", params=KINDS)
def translator(request, data, tmp_path_factory):
    path, found = translator_of(request.param, data, tmp_path_factory.mktemp("model"))
    found.path = path
    return found


@pytest.fixture
def command(translator, monkeypatch, capsys, tmp_path):
    """Runs ``bytefusion translate`` with that model; returns what it prints, in lines."""

    def run(*flags, texts=TEXTS):
        (tmp_path / "in.txt").write_text("".join(t + "\n" for t in texts), "utf-8")
        monkeypatch.setattr(ByteTranslator, "from_pretrained", lambda *args: translator)
        argv = ["translate", "MODEL", "--input", str(tmp_path / "in.txt"), "--quiet"]
        assert cli.main([*argv, *map(str, flags)]) == 0
        return capsys.readouterr().out.split("\n")[:-1]

    return run


def with_defaults(options):
    return {"nbest": 1, **SHORT, **options}


@pytest.mark.parametrize("name", FLAGS)
def test_every_flag(translator, command, name, tmp_path):
    flags, options = FLAGS[name]
    (tmp_path / "prefix.txt").write_text("".join(p + "\n" for p in PREFIX), "utf-8")
    flags = [str(tmp_path / "prefix.txt") if f == "PREFIX" else f for f in flags]
    limits = ["--max-len-a", "0", *([] if "--max-len-b" in flags else ["--max-len-b", "9"])]
    rows = list(map(json.loads, command("--json", *limits, *flags)))
    options = with_defaults(options)
    found = translator.translate(TEXTS, progress=False, **options)
    assert len(rows) == len(found) == len(TEXTS)
    for row, translation in zip(rows, found):
        assert row["text"] == translation.text
        assert row["score"] == pytest.approx(translation.score, abs=1e-4)
        assert [t["text"] for t in row["alternatives"]] == [
            t.text for t in translation.alternatives
        ]
        assert (row["cut"], row["parts"]) == (translation.cut, translation.parts)
        assert ("alignment" in row) == ("alignments" in options)
    for number, translation in enumerate(found):
        check(translation, number, options)


@pytest.mark.parametrize("prefix", [None, PREFIX])
def test_drafts_change_nothing(translator, command, data, tmp_path, prefix):
    unit = translator.task.target_dictionary.unit
    path = tmp_path / "draft.npz"
    count_draft(str(data), ["xx"], "en", unit).save(path)
    options = with_defaults({"beam": 1, "prefix": prefix})
    expected = translator.translate(TEXTS, progress=False, **options)
    drafts = {"draft": "ngram", "draft_file": str(path)}
    for length in (3, "auto"):
        found = translator.translate(
            TEXTS, progress=False, draft_length=length, **drafts, **options
        )
        assert [t.text for t in found] == [t.text for t in expected]
        for one, other in zip(found, expected):
            assert one.score == pytest.approx(other.score, abs=1e-4)
    if prefix is None:
        flags = ("--draft", "ngram", "--draft-file", path, "--max-len-a", "0")
        printed = command(*flags, "--beam", "1", "--max-len-b", "9")
        assert printed == [t.text for t in expected]


def check(found, number, options):
    """What is true of a Translation of sentence ``number``."""
    others = found.alternatives
    if number == 1:
        assert (found.text, found.score, others) == ("", 0.0, ())
    elif number != LONG:
        assert len(others) == options["nbest"] - 1
    scores = [found.score, *(t.score for t in others)]
    assert scores == sorted(scores, reverse=True)
    is_split = options.get("split_long", False)
    is_long = number == LONG
    assert found.cut == (is_long and not is_split)
    assert (found.parts > 1) == (is_long and is_split)
    for translation in (found, *others):
        assert [word for word, _ in translation.words] == split_words(translation.text)
        assert all(math.isfinite(score) for _, score in translation.words)
        if "prefix" in options:
            # SentencePiece does not say where a word ends.
            assert translation.text.startswith(options["prefix"][number])
        if options.get("alignments"):
            targets = [target for _, target in translation.alignment]
            assert targets == list(range(len(translation.words)))
            sources = range(len(split_words(TEXTS[number])))
            assert all(source in sources for source, _ in translation.alignment)
        else:
            assert translation.alignment is None


def test_lengths(translator):
    one, all_of_them = (
        translator.translate(TEXTS[:1], max_len_a=0, max_len_b=b, progress=False)[0]
        for b in (1, 12)
    )
    ids = translator.task.target_dictionary.encode_line(one.text)
    assert len(ids) <= 3  # SentencePiece puts a space in front
    assert len(all_of_them.text) >= len(one.text)


def test_the_score_of_a_search_is_that_of_its_text(translator):
    kwargs = {"beam": 2, "lenpen": 1.0, "progress": False, **SHORT}
    found = translator.translate(TEXTS[:1], **kwargs)[0]
    total = sum(score for _, score in found.words) + found.end_score
    assert found.log_probability == total
    # A model may write a text with other symbols than the text is cut into.
    if translator.task.target_dictionary.unit == "byte":
        scored = translator.score(TEXTS[:1], [found.text], progress=False)[0]
        assert scored.text == found.text
        assert scored.score == pytest.approx(found.score, abs=1e-4)
        for (_, one), (_, other) in zip(scored.words, found.words):
            assert one == pytest.approx(other, abs=1e-3)


def test_scores_are_those_of_fairseq(translator, data, command, tmp_path):
    texts = ["kal subah", "alarm  laga do", "x", "do"]
    targets = ["habus lak", "od agal  mrala ", "d", ""]
    write_pair(tmp_path, "test", texts, targets)
    (tmp_path / "targets").write_text("".join(t + "\n" for t in targets))
    for path in (*data.glob("dict.*"), *data.glob("spm.*")):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    found = translator.score(texts, targets, batch_size=3, progress=False)
    units = []
    for side in ("source", "target"):
        dictionary = getattr(translator.task, f"{side}_dictionary")
        units += [f"--{side}-unit", dictionary.unit]
    result = fairseq(
        "generate", tmp_path, "--task", "byte_translation", "-s", "xx", "-t", "en",
        "--path", translator.path, "--score-reference", *units, "--batch-size", "4",
    )  # fmt: skip
    log = result.stdout.decode()
    of_log = dict(re.findall(r"^H-(\d+)\t(\S+)\t", log, re.MULTILINE))
    positions = dict(re.findall(r"^P-(\d+)\t(.*)$", log, re.MULTILINE))
    lines = command("--score-target", tmp_path / "targets", texts=texts)
    for number, scored in enumerate(found):
        assert scored.text == targets[number]
        expected = float(of_log[str(number)]) * math.log(2)
        assert scored.score == pytest.approx(expected, abs=2e-3)
        expected = [float(x) * math.log(2) for x in positions[str(number)].split()]
        assert scored.log_probability == pytest.approx(sum(expected), abs=5e-3)
        assert [word for word, _ in scored.words] == targets[number].split()
        total, mean, words = lines[number].split("\t")
        assert float(total) == pytest.approx(scored.log_probability, abs=2e-3)
        assert float(mean) == pytest.approx(scored.score, abs=2e-3)
        assert len(words.split(" ")) == len(scored.words) + 1


def test_plain_lines_have_as_many_translations_as_asked_for(command):
    lines = command("--nbest", "2", "--max-len-b", "3", "--max-len-a", "0")
    assert len(lines) == 2 * len(TEXTS)
    assert lines[2:4] == ["", ""]
    lines = command("--alignments", "--max-len-b", "3", "--max-len-a", "0")
    assert [line.count("\t") for line in lines] == [1] * len(TEXTS)
