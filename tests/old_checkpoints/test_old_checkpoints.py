"""Checkpoints written by an older version still load, translate, resume and average."""

import json
import re
import shutil

import pytest
import torch

from fairseq_bytefusion import cli
from fairseq_bytefusion.generation import ByteTranslator

from .make import (
    DATA,
    EXPECTED,
    FOLDER,
    KINDS,
    LABELLING,
    OTHERS,
    PACKAGES,
    SOURCES,
    TOLERANCES,
    UPDATES_AFTER_RESUMING,
    data_of,
    labels_of,
    resume,
    scores_of,
    size_of_parameters,
    text_scores_of,
)

EXPECTATIONS = json.loads(EXPECTED.read_text("utf-8"))
TRANSLATING = [kind for kind in KINDS if kind not in (*LABELLING, *OTHERS)]


def checkpoint(kind):
    return FOLDER / f"{kind}.pt"


def names_in(path):
    return set(torch.load(path, map_location="cpu")["model"])


def test_every_kind_is_kept():
    assert set(EXPECTATIONS) == set(KINDS)


@pytest.mark.parametrize("kind", TRANSLATING)
def test_an_old_checkpoint_translates_as_it_did(kind):
    translator = ByteTranslator.from_pretrained(checkpoint(kind), "cpu", data=DATA)
    expected = EXPECTATIONS[kind]
    assert scores_of(translator) == pytest.approx(expected["scores"], rel=1e-5)
    found = translator.translate(SOURCES, beam=2, progress=False)
    assert [t.text for t in found] == expected["translations"]


@pytest.mark.parametrize("kind", LABELLING)
def test_an_old_checkpoint_labels_as_it_did(kind, tmp_path):
    pytest.importorskip(PACKAGES[kind])
    data = shutil.copytree(DATA, tmp_path / "data")
    for path in data.glob("train.*"):
        path.unlink()
    (data / "dict.word.txt").unlink()
    found, expected = labels_of(checkpoint(kind), data), EXPECTATIONS[kind]
    assert found["labels"] == expected["labels"]
    tolerance = TOLERANCES.get(kind, 1e-5)
    assert found["scores"] == pytest.approx(expected["scores"], rel=tolerance)


def test_an_old_language_model_scores_as_it_did(tmp_path):
    found = text_scores_of(checkpoint("bilm"), tmp_path)
    for scores, expected in zip(found, EXPECTATIONS["bilm"]["scores"]):
        assert scores == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_an_old_checkpoint_resumes_and_averages(kind, tmp_path, capsys):
    if kind in PACKAGES:
        pytest.importorskip(PACKAGES[kind])
    last = tmp_path / "checkpoint_last.pt"
    shutil.copy(checkpoint(kind), last)
    # A copy: indices are cached beside the text.
    data = shutil.copytree(DATA, tmp_path / "data")
    resume(kind, data_of(kind, data), tmp_path, UPDATES_AFTER_RESUMING)
    expected = EXPECTATIONS[kind]
    assert size_of_parameters(checkpoint(kind)) == pytest.approx(expected["size"])
    tolerance = TOLERANCES.get(kind, 1e-6)
    resumed = pytest.approx(expected["resumed_size"], rel=tolerance)
    assert size_of_parameters(last) == resumed

    average = tmp_path / "average.pt"
    paths = [str(checkpoint(kind)), str(last)]
    if names_in(paths[0]) != names_in(paths[1]):
        paths[1] = paths[0]  # another fairseq: it has a buffer more, or one less
    assert cli.main(["average", *paths, "--output", str(average)]) == 0
    old, new, mean = (torch.load(p, map_location="cpu")["model"] for p in (*paths, average))
    for name, tensor in mean.items():
        assert torch.allclose(tensor, (old[name] + new[name]) / 2, atol=1e-6), name


@pytest.mark.parametrize("kind", TRANSLATING)
def test_an_old_checkpoint_is_inspected(kind, capsys):
    assert cli.main(["inspect", str(checkpoint(kind))]) == 0
    printed = capsys.readouterr().out
    assert "byte_transformer," in printed
    assert ("lambda of 2-grams" in printed) == (kind == "ncf")


WORD_MODELS = {
    "bilm": [
        "composer char-cnn, layers lstm (2, direction both)",
        "unit byte, xx-en.xx",
        "parameters: word composer 1,306, layers 1,056, softmax 30",
    ],
    "masked_characters": [
        "composer char-rnn",
        "unit byte, xx-en.xx",
        "parameters: word composer 3,232, output 4,420",
    ],
    "masked_pieces": [
        "composer char2subword",
        "unit byte, xx-en.xx",
        "parameters: table 832, word composer 1,404, layers 3,600, head 356",
    ],
    "approximation": [
        "composer char2subword",
        "unit byte",
        "parameters: word composer 3,144",
    ],
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_learns_words_before_a_task_is_inspected(kind, tmp_path, capsys):
    if kind in PACKAGES:
        pytest.importorskip(PACKAGES[kind])
    assert cli.main(["inspect", str(checkpoint(kind))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.strip() for line in lines[2:]] == WORD_MODELS[kind]
    counts = [n.replace(",", "") for n in re.findall(r" (\d[\d,]*)", lines[-1])]
    total = re.search(r", ([\d,]+) parameters", lines[1])[1].replace(",", "")
    assert sum(map(int, counts)) == int(total)
    (tmp_path / "in.txt").write_text("kal do\n")
    args = ["inspect", str(checkpoint(kind)), "--text", str(tmp_path / "in.txt")]
    assert cli.main(args) == (kind != "masked_pieces")
    if kind == "masked_pieces":
        assert "2.00 as words" in capsys.readouterr().out


def test_an_old_approximation_finds_neighbours(capsys):
    args = ["neighbours", str(checkpoint("approximation")), "kal", "-k", "2"]
    assert cli.main([*args, "--teacher", str(data_of("approximation"))]) == 0
    assert capsys.readouterr().out.startswith("kal  ")
