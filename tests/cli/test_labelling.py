"""``bytefusion predict``, ``evaluate`` and ``explain``."""

import json

import pytest

from fairseq_bytefusion import cli

from ..helpers import REPO, bytefusion, train_labels

LINES = b"\xef\xbb\xbfkal subah alarm\r\n\n  \ncaf\xe9 laga\x0bdo\na</s>b"
KINDS = ("tagging", "classification")


@pytest.fixture(scope="module")
def trained(label_data, tmp_path_factory):
    """Kind -> a checkpoint that has begun to learn."""
    folder = tmp_path_factory.mktemp("trained")
    flags = ("--encoder-embedder", "char-rnn", "--char-rnn-hidden-dim", "8")
    for kind in KINDS:
        train_labels(
            kind, label_data, folder / kind, *flags, "--max-update", "4",
            "--disable-validation",
        )  # fmt: skip
    return {kind: str(folder / kind / "checkpoint_last.pt") for kind in KINDS}


def predicted(path, *flags, stdin=LINES, verb="predict", **kwargs):
    result = bytefusion(verb, path, "--quiet", *flags, stdin=stdin, **kwargs)
    return result.stdout.decode("utf-8", "surrogateescape")


def test_labels_of_words(trained):
    lines = predicted(trained["tagging"]).split("\n")
    assert [len(line.split(" ")) if line else 0 for line in lines] == [3, 0, 0, 3, 1, 0]
    assert set(" ".join(lines).split()) <= {"B-THING", "I-THING", "O"}

    scored = predicted(trained["tagging"], "--scores").split("\n")
    for line, plain in zip(scored, lines):
        labels, *scores = line.split("\t")
        assert labels == plain
        assert len(scores) == (1 if plain else 0)
        numbers = [float(number) for score in scores for number in score.split(" ")]
        assert len(numbers) == len(plain.split()) and all(0 < n <= 1 for n in numbers)

    conll = predicted(trained["tagging"], "--conll").split("\n")
    words = "kal subah alarm . . . caf\udce9 laga do . a</s>b . .".replace(".", "").split(
        " "
    )
    assert [line.split("\t")[0] for line in conll] == words
    labels = [line.split("\t")[1] for line in conll if line]
    assert labels == " ".join(lines).split()
    with_scores = predicted(trained["tagging"], "--conll", "--scores").split("\n")
    assert [line.rsplit("\t", 1)[0] for line in with_scores] == conll

    objects = list(map(json.loads, predicted(trained["tagging"], "--json").splitlines()))
    assert [found["words"] for found in objects][1:3] == [[], []]
    assert " ".join(objects[0]["labels"]) == lines[0]
    assert objects[3]["words"][0] == "caf\ufffd"
    found = json.loads(predicted(trained["tagging"], "--json", "--scores").split("\n")[0])
    assert len(found["scores"]) == 3


def test_what_is_printed_as_conll_is_read_as_such(trained, tmp_path):
    path = tmp_path / "a.conll"
    flags = ("--conll", "--scores")
    path.write_text(predicted(trained["tagging"], *flags, stdin=b"kal alarm\nlaga\n"))
    flags = ("--label-column", "2", "--json")
    text = predicted(trained["tagging"], str(path), *flags, verb="evaluate")
    report = json.loads(text)
    assert (report["total"], report["accuracy"]) == (3, 100)


def test_labels_of_sentences(trained):
    path = trained["classification"]
    lines = predicted(path).split("\n")
    assert [bool(line) for line in lines] == [True, False, False, True, True, False]
    scored = predicted(path, "--scores").split("\n")
    assert [line.split("\t")[0] for line in scored] == lines
    assert float(scored[0].split("\t")[1]) >= 0.5
    objects = list(map(json.loads, predicted(path, "--json", "--scores").splitlines()))
    assert objects[0]["label"] == lines[0] and objects[0]["text"] == "kal subah alarm"
    assert set(objects[0]["probabilities"]) == {"yes", "no"}
    assert (objects[1]["label"], objects[1]["probabilities"]) == (None, {})


@pytest.mark.parametrize("kind", KINDS)
def test_a_report(label_data, trained, tmp_path, kind):
    data = str(label_data / {"tagging": "test.conll", "classification": "test.tsv"}[kind])
    image = tmp_path / "a.png"
    text = predicted(trained[kind], data, "--plot", str(image), verb="evaluate")
    assert image.read_bytes().startswith(b"\x89PNG")
    report = json.loads(predicted(trained[kind], data, "--json", verb="evaluate"))
    assert f"accuracy {report['accuracy']:.2f} of {report['total']}" in text
    assert ("spans: " in text) == (kind == "tagging") == ("span_f1" in report)
    for label in report["labels"]:
        assert f"\n{label} " in text


@pytest.mark.parametrize("kind", KINDS)
def test_a_page(trained, tmp_path, kind):
    flags = ("--text", "kal alarm", "--compare", "kal alram")
    page = tmp_path / "page.html"
    result = bytefusion("explain", trained[kind], *flags, "--output", page)
    assert result.stdout == b""
    assert page.read_text("utf-8").count('<div class="strip') == 4
    result = bytefusion("explain", trained[kind], *flags, "--json")
    first, second = json.loads(result.stdout)
    assert second["words"] == ["kal", "alram"]
    assert [c for c, _ in first["characters"][1]] == list("alarm")
    assert second["of_word"] == first["of_word"]


MISTAKES = {
    "not there": (["predict", "gone.pt"], "no such file: gone.pt"),
    "translation": (
        ["predict", str(REPO / "tests/old_checkpoints/dense.pt")],
        "is of the task byte_translation: only models of the tasks byte_tagging and byte_",
    ),
    "ensemble": (
        ["predict", "{tagging}:{tagging}"],
        "labels come from one model, not from an ensemble; bytefusion average makes one",
    ),
    "no words": (
        ["predict", "{classification}", "--conll"],
        "--conll prints a label a word, and",
    ),
    "device": (["predict", "{tagging}", "--device", "abc"], "device abc cannot be used"),
    "another file": (
        ["evaluate", "{tagging}", "{data}/test.tsv"],
        "test.tsv, line 1: white space inside the word",
    ),
    "another file still": (
        ["evaluate", "{classification}", "{data}/dict.word.txt"],
        "dict.word.txt, line 1: 1 column, and --label-column is 2",
    ),
    "no column": (
        ["evaluate", "{tagging}", "{data}/test.conll", "--label-column", "4"],
        "test.conll, line 1: 2 columns, and --label-column is 4",
    ),
    "no such data": (["evaluate", "{tagging}", "gone.conll"], "gone.conll"),
    "no such image": (
        ["evaluate", "{tagging}", "{data}/test.conll", "--plot", "gone/a.png"],
        "gone/a.png",
    ),
    "nowhere to go": (
        ["explain", "{tagging}", "--text", "a"],
        "say where the page goes with --output FILE, or give --json",
    ),
    "no text": (
        ["explain", "{tagging}", "--text", " ", "--json"],
        "the text has no word: there is nothing to explain",
    ),
}


@pytest.mark.parametrize(("args", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_line(label_data, trained, capsys, args, message):
    args = [arg.format(data=label_data, **trained) for arg in args]
    assert cli.main([*args, *([] if args[0] == "explain" else ["--quiet"])]) == 1
    error = capsys.readouterr().err.strip().split("\n")[-1]
    assert error.startswith(f"bytefusion {args[0]}: ")
    assert message in error
