"""Language models by fairseq's commands, and models that stand on them."""

import json
import re
import shutil

import pytest
import torch

from fairseq_bytefusion import cli

from .helpers import (
    bytefusion,
    failing,
    fairseq,
    model_language,
    script,
    train,
    train_labels,
    train_with_two_workers,
)
from .old_checkpoints.make import FOLDER as OLD
from .test_end_to_end import assert_same_parameters
from .test_labelling_end_to_end import validations

pytestmark = pytest.mark.long

LAST = "checkpoint_last.pt"
LANGS = ("-s", "xx", "-t", "en")
ELMO = ("--encoder-embedder", "elmo", "--no-epoch-checkpoints", "--elmo-from")
SCORES = {"loss", "loss_forward", "loss_backward", "ppl_forward", "ppl_backward", "unk"}


def test_training_resumes_exactly_and_validates(language_text, tmp_path):
    data = shutil.copytree(language_text, tmp_path / "data")
    flags = ("--max-tokens", "60", "--dropout", "0.2", "--max-update")
    model_language(data, tmp_path / "whole", *flags, "22")
    model_language(data, tmp_path / "parts", *flags, "7")
    resumed = model_language(data, tmp_path / "parts", *flags, "22")
    assert b"checkpoint_last.pt (epoch" in resumed.stdout + resumed.stderr
    assert_same_parameters(tmp_path / "whole" / LAST, tmp_path / "parts" / LAST, 0)
    found = validations(resumed)[-1]
    assert found.keys() >= SCORES
    for direction in ("forward", "backward"):
        assert found[f"ppl_{direction}"] == pytest.approx(
            2 ** found[f"loss_{direction}"], rel=0.01
        )
    assert 0 < found["unk"] < 20
    (data / "dict.word.xx.txt").unlink()
    result = fairseq(
        "validate", data, "--task", "word_language_model", "-s", "xx", "--path",
        tmp_path / "parts" / LAST, "--max-tokens", "100", "--log-format", "simple",
    )  # fmt: skip
    again = re.findall(r"INFO \| valid \|.*", (result.stdout + result.stderr).decode())[-1]
    assert f"| loss {found['loss']:g} " in again


def test_words_are_learned_and_unknown_ones_counted(language_text, tmp_path):
    data = shutil.copytree(language_text, tmp_path / "data")
    words = script("data_prep/build_word_dict.py", data, "-s", "xx", "--max-words", "3")
    assert b"3 of 9 words" in words.stdout
    result = model_language(data, tmp_path, "--max-epoch", "6", "--direction", "forward")
    first, *_, last = validations(result)
    assert last["ppl_forward"] < first["ppl_forward"]
    assert "ppl_backward" not in last
    lines = (data / "valid.xx").read_text().splitlines()
    listed = (data / "dict.word.xx.txt").read_text().splitlines()
    known = {line.split()[0] for line in listed}
    told = [word for line in lines for word in line.split()]
    unknown = sum(word not in known for word in told)
    expected = 100 * unknown / (len(told) + len(lines))
    assert last["unk"] == pytest.approx(expected, abs=0.01)


def test_two_workers_are_one(language_text, tmp_path):
    flags = ("--dropout", "0", "--max-update", "6", "--max-tokens", "60")
    train_with_two_workers(language_text, tmp_path / "two", *flags, by=model_language)
    model_language(language_text, tmp_path / "one", *flags, "--update-freq", "2")
    assert_same_parameters(tmp_path / "one" / LAST, tmp_path / "two" / LAST, 1e-5)


def test_scores_of_text_are_those_of_validation(language_text, language_model):
    text = (language_text / "valid.xx").read_bytes()
    printed = bytefusion("score-text", language_model, "--quiet", stdin=text).stdout
    rows = [line.split("\t") for line in printed.decode().splitlines()]
    lines = text.decode().splitlines()
    assert len(rows) == len(lines)
    for row, line in zip(rows, lines):
        for total, words in ((row[0], row[1]), (row[2], row[3])):
            numbers = list(map(float, words.split()))
            assert len(numbers) == len(line.split()) + 1
            assert sum(numbers) == pytest.approx(float(total), abs=1e-3)
    result = fairseq(
        "validate", language_text, "--task", "word_language_model", "-s", "xx", "--path",
        language_model, "--max-tokens", "100", "--log-format", "simple",
    )  # fmt: skip
    logged = (result.stdout + result.stderr).decode()
    count = sum(len(line.split()) + 1 for line in lines)
    for name, column in (("forward", 0), ("backward", 2)):
        bits = -sum(float(row[column]) for row in rows) / count / 0.6931471805599453
        assert float(re.search(rf"loss_{name} ([\d.]+)", logged)[1]) == pytest.approx(
            bits, abs=2e-3
        )


def test_scores_of_odd_text(language_model):
    text, totals = b"laga foo\n\n \xff \nlaga\n", []
    for size in ("1", "8"):
        flags = ("--json", "--batch-size", size, "--quiet")
        found = bytefusion("score-text", language_model, *flags, stdin=text)
        rows = list(map(json.loads, found.stdout.decode().splitlines()))
        forward = [row["forward"] for row in rows]
        assert forward[0]["words"] == ["laga", "foo", "</s>"]
        assert forward[0]["is_known"] == [True, False, True]
        assert forward[1]["words"] == ["</s>"]
        assert rows[0]["backward"]["words"] == ["<s>", "laga", "foo"]
        assert b"words are none of the model's list" in found.stderr
        totals.append([x["log_probability"] for row in rows for x in row.values()])
    assert totals[0] == pytest.approx(totals[1], abs=2e-4)


@pytest.mark.parametrize("flags", [(), ("--elmo-finetune", "--elmo-layer-norm")])
def test_a_translation_outlives_its_language_model(
    toy_data, language_model, tmp_path, capsys, flags
):
    start, last = tmp_path / "start.pt", tmp_path / LAST
    shutil.copy(language_model, start)
    result = train(toy_data, tmp_path, *ELMO, start, *flags, "--max-update", "4")
    logged = rb"valid on .* \| elmo_gamma \d\.\d+ \| elmo_weight_0 0\.3"
    assert re.search(logged, result.stdout)
    found, then = (torch.load(p, weights_only=False)["model"] for p in (last, start))
    for name, value in then.items():
        if name.startswith("encoder."):
            own = found[f"encoder.embed_tokens.language_model.{name[len('encoder.') :]}"]
            assert torch.equal(own, value) != bool(flags), name
    start.unlink()
    assert cli.main(["inspect", str(last)]) == 0
    assert "gamma of the layers' sum" in capsys.readouterr().out
    shown = fairseq(
        "generate", toy_data, "--task", "byte_translation", *LANGS, "--path", last,
        "--max-len-b", "3", "--max-len-a", "0",
    ).stdout  # fmt: skip
    assert shown.count(b"\nD-") == 8


@pytest.mark.parametrize("kind", ["tagging", "classification"])
def test_labels_stand_on_a_language_model(label_data, language_model, tmp_path, kind):
    start = tmp_path / "start.pt"
    shutil.copy(language_model, start)
    encoder = ("--encoder-type", "lstm") if kind == "tagging" else ()
    flags = (*ELMO, start, *encoder, "--max-update", "4", "--disable-validation")
    train_labels(kind, label_data, tmp_path, *flags)
    start.unlink()
    found = bytefusion("predict", tmp_path / LAST, "--quiet", stdin=b"kal alarm\n\n")
    assert len(found.stdout.splitlines()[0].split()) == (2 if kind == "tagging" else 1)
    page = bytefusion("explain", tmp_path / LAST, "--text", "kal alarm", "--json").stdout
    (found,) = json.loads(page)
    characters = found["characters"]
    assert [[c for c, _ in word] for word in characters] == [list("kal"), list("alarm")]
    assert all(v is not None for word in characters for _, v in word)


def test_an_encoder_over_elmo_goes_on_in_another_task(label_data, language_model, tmp_path):
    """Its mix and its language model too; the latter's file is still asked for."""
    rest = ("--max-update", "2", "--disable-validation")
    flags = (*ELMO, language_model, "--lr", "0.1", *rest)
    train_labels("tagging", label_data, tmp_path / "a", *flags)
    start = ("--encoder-from", tmp_path / "a" / LAST, "--freeze-encoder")
    train_labels("classification", label_data, tmp_path / "b", *flags, *start)
    found, then = (
        torch.load(path, weights_only=False)["model"]
        for path in (tmp_path / "b" / LAST, tmp_path / "a" / LAST)
    )
    names = {n for n in then if n.startswith("encoder.")}
    assert names == {n for n in found if n.startswith("encoder.")}
    assert any(n.startswith("encoder.embed_tokens.mix.") for n in names)
    assert any(n.startswith("encoder.embed_tokens.language_model.") for n in names)
    for name in names:
        assert torch.equal(found[name], then[name]), name


def test_words_of_characters_are_told_and_stood_on(language_text, label_data, tmp_path):
    """The unit char, from the list of characters to labels."""
    text, labels = (
        shutil.copytree(folder, tmp_path / name)
        for folder, name in ((language_text, "text"), (label_data, "labels"))
    )
    vocabulary = "".join(f"{c} 1\n" for c in "\u2581abcdefghijklmnopqrstuvwxyz")
    (text / "dict.char.xx.txt").write_text(vocabulary, "utf-8")
    (labels / "dict.char.txt").write_text(vocabulary, "utf-8")
    short = ("--source-unit", "char", "--max-update", "3")
    logged = model_language(text, tmp_path / "lm", *short)
    assert validations(logged)[-1].keys() >= SCORES
    path = tmp_path / "lm" / LAST
    state = torch.load(path, weights_only=False)["model"]
    rows = len(state["encoder.embed_tokens.characters.weight"])
    assert rows < 100  # characters, and no 256 bytes
    found = bytefusion("score-text", path, "--json", "--quiet", stdin="kal déja\n".encode())
    assert json.loads(found.stdout)["forward"]["words"] == ["kal", "d\ufffdja", "</s>"]
    flags = (*short, *ELMO, path, "--disable-validation")
    train_labels("tagging", labels, tmp_path / "tagger", *flags)
    found = bytefusion("predict", tmp_path / "tagger" / LAST, "--quiet", stdin=b"kal do\n")
    assert len(found.stdout.split()) == 2


def last_line(*args):
    return failing("train", *args).split("\n")[-1]


LM = (
    *("--task", "word_language_model", "-s", "xx", "--arch", "bilm_tiny", "--criterion"),
    *("word_language_model", "--optimizer", "adam", "--max-tokens", "400"),
    *("--num-workers", "0", "--max-update", "1"),
)
MISTAKES = {
    "no language": (("-s", "xx,yy"), "reads one language, DATA/train.LANG and valid.LANG"),
    "no text": (("-s", "zz"), "zz"),
    "no words": (("-s", "blank"), "blank holds no word"),
    "no list": (("-s", "nolist"), "the words that --task word_language_model can tell"),
    "another composer": (("--encoder-embedder", "words"), "words"),
    "criterion": (("--criterion", "cross_entropy"), "learns with --criterion word_langua"),
    "arch": (
        ("--arch", "masked_characters"),
        "trains --arch bilm or a preset of it (now masked_characters): give that",
    ),
    "narrow": (("--lstm-dim", "8"), "--lstm-dim 8 is less than --encoder-embed-dim 16"),
}


@pytest.mark.parametrize(("flags", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_clear_last_line(language_text, tmp_path, flags, message):
    data = shutil.copytree(language_text, tmp_path / "data")
    for split in ("train", "valid"):
        (data / f"{split}.blank").write_bytes(b" \n\xef\xbb\xbf\t\n\n")
        shutil.copy(data / f"{split}.xx", data / f"{split}.nolist")
    shutil.copy(data / "dict.word.xx.txt", data / "dict.word.blank.txt")
    shutil.copy(data / "dict.word.xx.txt", data / "dict.word.zz.txt")
    assert message in last_line(data, "--save-dir", tmp_path, *LM, *flags)


def test_training_does_not_go_on_with_other_words_or_sizes(language_text, tmp_path):
    data = shutil.copytree(language_text, tmp_path / "data")
    model_language(data, tmp_path, "--max-update", "1", "--disable-validation")
    flags = (data, "--save-dir", tmp_path, *LM, "--max-update", "2")
    message = last_line(*flags, "--lstm-dim", "32")
    assert "--lstm-dim 24 in the checkpoint, 32 here" in message
    lines = (data / "dict.word.xx.txt").read_text().splitlines(True)
    (data / "dict.word.xx.txt").write_text("".join(lines[::-1]))
    message = last_line(*flags)
    assert "dict.word.xx.txt is not the list of words it was trained with" in message


def test_what_no_model_can_stand_on(toy_data, language_model, approximation, tmp_path):
    def refused(path, *flags):
        return last_line(
            toy_data, "--save-dir", tmp_path, "--task", "byte_translation", *LANGS,
            "--arch", "byte_transformer_tiny", "--criterion", "cross_entropy",
            "--optimizer", "adam", "--max-tokens", "100", "--max-update", "1",
            "--num-workers", "0", *ELMO, path, *flags,
        )  # fmt: skip

    assert "--elmo-from gone.pt: no such file" in refused("gone.pt")
    message = refused(tmp_path)
    assert f"--elmo-from {tmp_path} is a directory: give a checkpoint in it" in message
    message = refused(approximation)
    assert "is of the task embedding_approximation: give a checkpoint of" in message
    message = refused(language_model, "--source-tag")
    assert "cannot be taken: it was trained with no tags" in message
    (toy_data / "dict.char.xx.txt").write_text("a 1\n▁ 1\n", "utf-8")
    message = refused(language_model, "--source-unit", "char")
    assert "trained with --source-unit byte, and this is --source-unit char" in message
    (toy_data / "dict.char.xx.txt").unlink()
    message = refused(language_model, "--max-word-chars", "9")
    assert "--max-word-chars 9 (set by that flag or by --arch) does nothing" in message


@pytest.mark.parametrize("kind", ["bilm", "masked_characters"])
def test_models_without_an_encoder_of_sentences(label_data, kind):
    path = OLD / f"{kind}.pt"
    message = last_line(
        label_data, "--task", "byte_tagging", "--arch", "byte_tagger_tiny", "--criterion",
        "byte_tagging", "--optimizer", "adam", "--num-workers", "0", "--batch-size", "8",
        "--max-update", "1", "--encoder-from", path,
    )  # fmt: skip
    flags = {"bilm": "--encoder-embedder elmo --elmo-from"}.get(kind, "--composer-from")
    assert f"has no encoder of sentences for it: give {flags} {path} instead" in message


def test_it_writes_no_text_and_only_it_scores_text(
    language_text, language_model, approximation
):
    error = failing(
        "generate", language_text, "--task", "word_language_model", "-s", "xx", "--path",
        language_model, "--gen-subset", "valid",
    )  # fmt: skip
    assert "writes no text: use bytefusion score-text" in error.split("\n")[-1]
    result = bytefusion("score-text", approximation, check=False, stdin=b"kal\n")
    assert b"only a model of the task word_language_model tells how" in result.stderr
