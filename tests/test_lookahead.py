"""Training heads that look ahead by fairseq's commands, and translating with them."""

import re

import pytest
import torch

from .helpers import bytefusion, failing, fairseq, train, train_with_two_workers

pytestmark = pytest.mark.long

LANGS = ("-s", "xx", "-t", "en", "--no-epoch-checkpoints")
HEADS = (
    *("--lookahead-heads", "3", "--criterion"),
    "label_smoothed_cross_entropy_with_lookahead",
)


@pytest.fixture(scope="module")
def finished(toy_data, tmp_path_factory):
    """The checkpoint of a model without heads."""
    folder = tmp_path_factory.mktemp("finished")
    train(toy_data, folder, *LANGS, "--max-update", "40")
    return folder / "checkpoint_last.pt"


@pytest.fixture(scope="module")
def only(toy_data, finished, tmp_path_factory):
    """The folder of a training of heads alone, behind that model."""
    folder = tmp_path_factory.mktemp("only")
    start = ("--lookahead-only", "--finetune-from-model", finished)
    train(
        toy_data, folder, *LANGS, *HEADS, *start, "--max-update", "30", "--dropout", "0.5"
    )
    return folder


def parameters(path):
    return torch.load(path, weights_only=False)["model"]


def translations(data, path, *flags):
    log = fairseq(
        "generate", data, *LANGS[:4], "--task", "byte_translation", "--path", path,
        "--beam", "1", "--max-len-b", "30", *flags,
    ).stdout.decode()  # fmt: skip
    found = re.findall(r"^D-(\d+)\t\S+\t(.*)$", log, re.M)
    assert len(found) == 8
    return sorted(found)


def test_heads_alone_leave_the_model_as_it_is(finished, only):
    before, after = parameters(finished), parameters(only / "checkpoint_last.pt")
    new = {name for name in after if name not in before}
    assert new == {f"decoder.lookahead.proj.{name}" for name in ("weight", "bias")}
    assert all(torch.equal(after[name], value) for name, value in before.items())
    assert all(after[name].abs().sum() > 0 for name in new)


def test_translations_are_the_same_with_and_without_heads(toy_data, finished, only):
    path, draft = only / "checkpoint_last.pt", only / "draft.npz"
    bytefusion("draft", toy_data, *LANGS[:4], "--output", draft)
    expected = translations(toy_data, finished)
    assert translations(toy_data, path) == expected
    for flags in (("heads",), ("both", "--draft-file", draft)):
        assert translations(toy_data, path, "--draft", *flags) == expected


def test_trained_along_resumed_and_by_two_workers(toy_data, tmp_path):
    flags = (*LANGS, *HEADS, "--dropout", "0", "--log-interval", "10")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    result = train(toy_data, whole, *flags, "--max-update", "12")
    text = (result.stdout + result.stderr).decode()
    assert "lookahead_loss" in text
    assert all(f"lookahead_accuracy_{j}" in text for j in (1, 2, 3))
    for updates in ("6", "12"):
        train(
            toy_data, parts, *flags, "--max-update", updates, "--save-interval-updates", "6"
        )
    one, other = (parameters(f / "checkpoint_last.pt") for f in (whole, parts))
    assert all(torch.equal(other[name], value) for name, value in one.items())
    both = tmp_path / "both"
    train_with_two_workers(
        toy_data, both, *flags, "--max-update", "12", "--max-tokens", "200"
    )
    single = tmp_path / "single"
    more = ("--max-update", "12", "--max-tokens", "200", "--update-freq", "2")
    train(toy_data, single, *flags, *more)
    one, other = (parameters(f / "checkpoint_last.pt") for f in (single, both))
    assert all((other[name] - value).abs().max() <= 1e-4 for name, value in one.items())


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (HEADS[:2], "--lookahead-heads learn with --criterion label_smoothed_cross_entro"),
        (HEADS[2:], "is for models with heads that look ahead: add --lookahead-heads 4"),
        (("--lookahead-only",), "--lookahead-only trains heads, and there are none: add -"),
        (("--lookahead-heads", "-1"), "--lookahead-heads -1 must not be below 0"),
        ((*HEADS, "--lookahead-only"), "--lookahead-only trains heads behind a finished m"),
    ],
)
def test_flags_that_do_not_go_together(toy_data, tmp_path, flags, message):
    printed = failing(
        "train", toy_data, "--task", "byte_translation", "--arch", "byte_transformer_tiny",
        *LANGS, "--save-dir", tmp_path, "--max-tokens", "400", "--optimizer", "adam",
        "--max-update", "2", "--num-workers", "0",
        *(() if "--criterion" in flags else ("--criterion", "cross_entropy")),
        *flags,
    )  # fmt: skip
    assert message in printed.splitlines()[-1]


def test_drafts_of_heads_need_heads(toy_data, finished):
    printed = failing(
        "generate", toy_data, *LANGS[:4], "--task", "byte_translation", "--path", finished,
        "--beam", "1", "--draft", "heads",
    )  # fmt: skip
    assert "--draft heads needs a model with heads that look ahead: train" in printed
