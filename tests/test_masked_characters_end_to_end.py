"""Masked characters by fairseq's commands, and models that start from what was learned."""

import re
import shutil

import pytest
import torch

from fairseq_bytefusion import cli

from .helpers import failing, fairseq, train, train_labels, train_with_two_workers

pytestmark = pytest.mark.long

SIZES = {
    "char-rnn": ("--char-embed-dim", "8", "--char-rnn-hidden-dim", "6"),
    "hit": ("--char-embed-dim", "16", "--hit-ffn-embed-dim", "8"),
    "char2subword": ("--char-embed-dim", "8", "--char2subword-layers", "1"),
}
LANGS = ("-s", "xx", "-t", "en")
PART = "encoder.embed_tokens."


@pytest.fixture(scope="module")
def data(toy_data, tmp_path_factory):
    """The toy data, and its sources as plain text."""
    folder = tmp_path_factory.mktemp("words") / "data"
    shutil.copytree(toy_data, folder)
    for split in ("train", "valid"):
        shutil.copy(folder / f"{split}.xx-en.xx", folder / f"{split}.xx")
    return folder


def flags_of(name):
    return (
        *("--task", "masked_characters", "--arch", "masked_characters", "-s", "xx"),
        *("--criterion", "masked_characters", "--no-epoch-checkpoints"),
        *("--encoder-embedder", name, *SIZES[name], "--optimizer", "adam", "--lr", "0.005"),
        *("--max-tokens", "400", "--num-workers", "0", "--log-format", "simple"),
    )


def learn(data, save_dir, *flags, **kwargs):
    return fairseq("train", data, "--save-dir", save_dir, *flags, **kwargs)


@pytest.fixture(scope="module")
def learned(data, tmp_path_factory):
    """Name of a composer -> checkpoint of its characters."""
    folder = tmp_path_factory.mktemp("learned")
    for name in SIZES:
        learn(data, folder / name, *flags_of(name), "--max-update", "8")
    return {name: folder / name / "checkpoint_last.pt" for name in SIZES}


def parameters(path):
    return torch.load(path, weights_only=False)["model"]


def test_a_list_of_words_does_too_and_validation_says_how_many_were_found(data, tmp_path):
    result = learn(
        data, tmp_path, *flags_of("char-rnn"), "--words", "list", "--max-update", "4"
    )
    text = (result.stdout + result.stderr).decode()
    assert re.search(r"valid on .* \| loss [\d.]+ \| accuracy [\d.]+", text)
    path = tmp_path / "checkpoint_last.pt"
    again = fairseq(
        "validate", data, "--task", "masked_characters", "--path", path, "-s", "xx",
        "--max-tokens", "100",
    )  # fmt: skip
    assert b"accuracy" in again.stdout + again.stderr


def test_inspection_shows_gates_of_the_layers_of_characters(data, tmp_path, capsys):
    flags = (*flags_of("hit"), "--fused-gate", "scalar", "--disable-validation")
    learn(data, tmp_path, *flags, "--max-update", "1")
    capsys.readouterr()
    assert cli.main(["inspect", str(tmp_path / "checkpoint_last.pt")]) == 0
    *_, parts, gate = capsys.readouterr().out.splitlines()
    assert "parameters: word composer " in parts
    assert re.fullmatch(r"  gate_outer   0\.\d{4} █+", gate)


def test_stopped_and_gone_on_with_is_the_same_as_in_one_go(data, tmp_path):
    flags = (*flags_of("hit"), "--max-tokens", "60", "--dropout", "0.1", "--max-update")
    learn(data, tmp_path / "whole", *flags, "30")
    for updates in ("7", "30"):
        learn(data, tmp_path / "parts", *flags, updates)
    paths = (tmp_path / folder / "checkpoint_last.pt" for folder in ("whole", "parts"))
    one, other = map(parameters, paths)
    assert one.keys() == other.keys()
    assert all(torch.equal(other[name], value) for name, value in one.items())


def test_two_workers_are_one(data, tmp_path):
    flags = (*flags_of("char-rnn"), "--dropout", "0", "--max-update", "6")
    more = ("--max-tokens", "40")
    train_with_two_workers(data, tmp_path / "two", *flags, *more, by=learn)
    learn(data, tmp_path / "one", *flags, *more, "--update-freq", "2")
    one, other = (parameters(tmp_path / f / "checkpoint_last.pt") for f in ("one", "two"))
    assert all((other[name] - value).abs().max() <= 1e-5 for name, value in one.items())


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("frozen", [False, True])
def test_a_translation_model_starts_from_what_was_learned(
    data, learned, tmp_path, name, frozen
):
    start = tmp_path / "start.pt"
    shutil.copy(learned[name], start)
    result = train(
        data, tmp_path, *LANGS, "--encoder-embedder", name, *SIZES[name],
        "--composer-from", start, *(["--freeze-composer"] * frozen), "--max-update", "2",
        "--dropout", "0", "--no-epoch-checkpoints", "--disable-validation",
    )  # fmt: skip
    log = (result.stdout + result.stderr).decode()
    assert re.search(r"word composer: \d+ of its tensors are those of .*, new are: ", log)
    found, then = parameters(tmp_path / "checkpoint_last.pt"), parameters(start)
    taken = {n[len("composer.") :] for n in then if n.startswith("composer.")}
    own = {n[len(PART) :] for n in found if n.startswith(PART)}
    assert taken < own and "projection.weight" in own - taken
    same = {n for n in taken if torch.equal(found[PART + n], then[f"composer.{n}"])}
    floats = {n for n in taken if found[PART + n].is_floating_point()}
    assert same >= floats if frozen else not same & floats
    start.unlink()  # a finished model does not need it
    result = fairseq(
        "generate", data, "--task", "byte_translation", *LANGS, "--path",
        tmp_path / "checkpoint_last.pt", "--max-len-b", "3", "--max-len-a", "0",
    )  # fmt: skip
    assert result.stdout.count(b"\nD-") == 8


def test_what_is_new_learns_beside_what_is_frozen(data, learned, tmp_path):
    flags = (
        *(*LANGS, "--encoder-embedder", "char-rnn", *SIZES["char-rnn"], "--composer-from"),
        *(learned["char-rnn"], "--freeze-composer", "--no-epoch-checkpoints"),
    )
    weights = []
    for updates in ("1", "3"):
        train(data, tmp_path, *flags, "--max-update", updates)
        found = parameters(tmp_path / "checkpoint_last.pt")
        weights.append({n: v for n, v in found.items() if n.startswith(PART)})
    changed = {n for n, v in weights[0].items() if not torch.equal(v, weights[1][n])}
    assert changed == {f"{PART}projection.{n}" for n in ("weight", "bias")}


def test_a_mixture_and_a_tagger_start_from_any_model_that_has_the_composer(
    data, label_data, learned, tmp_path
):
    mixture = (
        *("--encoder-embedder", "mixture", "--mixture-composer", "char-rnn"),
        *(*SIZES["char-rnn"], "--composer-from", learned["char-rnn"], "--max-update", "2"),
    )
    train(data, tmp_path / "mixture", *LANGS, *mixture, "--no-epoch-checkpoints")
    start = tmp_path / "mixture" / "checkpoint_last.pt"
    tagger = (
        *("--encoder-embedder", "char-rnn", *SIZES["char-rnn"], "--composer-from", start),
        *("--freeze-composer", "--max-update", "2"),
    )
    train_labels("tagging", label_data, tmp_path / "tagger", *tagger)
    found = parameters(tmp_path / "tagger" / "checkpoint_last.pt")
    for name, value in parameters(start).items():
        if name.startswith(f"{PART}composer."):
            assert torch.equal(found[name.replace("composer.", "")], value)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--mask-prob", "0"), "--mask-prob 0 must lie above 0, and not above 1"),
        (("--random-token-prob", "2"), "--random-token-prob 2 must lie between 0 and 1"),
        (("--leave-unmasked-prob", "0.95"), "are shares of one whole: lower either"),
        (("--frequency-power", "-1"), "--frequency-power -1 must not be below 0"),
        (("--encoder-embedder", "char-cnn"), "has no states of characters to foresee th"),
        (("--source-unit", "sentencepiece"), "no such file"),
        (("-s", ""), "say with -s LANG which of DATA/train.LANG, valid.LANG is read"),
        (
            ("--criterion", "masked_pieces"),
            "masked_characters learns with --criterion mask",
        ),
        (("--arch", "bilm_tiny"), "trains --arch masked_characters or a preset of it (now"),
        (("-s", "yy"), "valid.yy, a sentence a line; -s LANG says how its name ends"),
        (("--composer-from", "gone.pt"), "--composer-from gone.pt: no such file"),
    ],
)
def test_bad_input(data, tmp_path, flags, message):
    given = (*flags_of("char-rnn"), "--save-dir", tmp_path, *flags)
    if "char-cnn" in flags:
        given = tuple(f for f in given if f not in SIZES["char-rnn"][2:])
    printed = failing("train", data, *given, "--max-update", "2")
    assert message in printed.splitlines()[-1]


def test_checkpoints_that_do_not_fit(data, learned, tmp_path):
    def refused(name, *flags):
        rest = ("--optimizer", "adam", "--max-tokens", "100", "--num-workers", "0")
        model = ("--arch", "byte_transformer_tiny", "--criterion", "cross_entropy")
        return failing(
            "train", data, "--task", "byte_translation", *LANGS, *model, *rest,
            "--save-dir", tmp_path, "--max-update", "2", "--composer-from", learned[name],
            *flags,
        ).splitlines()[-1]  # fmt: skip

    wanted = "has the word composer hit: choose that one (now char-rnn)"
    assert wanted in refused("hit", "--encoder-embedder", "char-rnn", *SIZES["char-rnn"])
    other = ("--encoder-embedder", "char-rnn", "--char-embed-dim", "8")
    wanted = "has other sizes: give --char-rnn-hidden-dim 6 (now 150)"
    assert wanted in refused("char-rnn", *other)
    characters = (*other, *SIZES["char-rnn"][2:], "--source-unit", "char")
    (data / "dict.char.xx.txt").write_text("a 1\nb 1\n", "utf-8")
    message = refused("char-rnn", *characters)
    assert (
        "it was trained with --source-unit byte, and this is --source-unit char" in message
    )
