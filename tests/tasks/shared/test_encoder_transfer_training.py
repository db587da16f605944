"""``--encoder-from`` and ``--freeze-encoder`` in trainings."""

import shutil

import pytest
import torch

from ...helpers import failing, fairseq, train, train_with_two_workers
from ..running import train_here

pytestmark = pytest.mark.long

LAST = "checkpoint_last.pt"
QUIET = ("--disable-validation", "--no-epoch-checkpoints")
GENERATE = (
    *("--task", "byte_translation", "-s", "xx", "-t", "en"),
    *("--max-len-b", "3", "--max-len-a", "0"),
)


def state_of(path):
    return torch.load(path, map_location="cpu")["model"]


def changed(path, other):
    """Names of the encoder's parameters that differ, and of the others."""
    states = state_of(path), state_of(other)
    names = [n for n, v in states[0].items() if not torch.equal(v, states[1][n])]
    encoder = {name for name in names if name.startswith("encoder.")}
    return encoder, set(names) - encoder


@pytest.fixture(scope="module")
def trained(toy_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("first")
    train_here(toy_data, folder, "--max-update", "2")
    return folder / LAST


def test_training_starts_from_it_once(toy_data, trained, tmp_path):
    """A training that goes on, generation and a test need the first checkpoint no more."""
    first = shutil.copy(trained, tmp_path / "first.pt")
    for name, more in (("learning", ()), ("frozen", ("--freeze-encoder",))):
        flags = (*QUIET, "--encoder-from", first, "--dropout", "0.3", *more, "--max-update")
        train(toy_data, tmp_path / name, *flags, "1")
        train(toy_data, tmp_path / f"{name} in one go", *flags, "2")
    first.unlink()
    for name, more in (("learning", ()), ("frozen", ("--freeze-encoder",))):
        flags = (*QUIET, "--encoder-from", first, "--dropout", "0.3", *more, "--max-update")
        result = train(toy_data, tmp_path / name, *flags, "2")
        assert b"of which are not taken" not in result.stderr + result.stdout
        at_once = tmp_path / f"{name} in one go" / LAST
        assert changed(tmp_path / name / LAST, at_once) == (set(), set())
    encoder, decoder = changed(trained, tmp_path / "frozen" / LAST)
    assert not encoder and len(decoder) > 10
    assert len(changed(trained, tmp_path / "learning" / LAST)[0]) > 10

    path = tmp_path / "frozen" / LAST
    result = fairseq("generate", toy_data, *GENERATE, "--path", path)
    assert result.stdout.count(b"\nD-") == 8
    error = failing(
        *("train", toy_data, "--save-dir", tmp_path / "new", "--task", "byte_translation"),
        *("--arch", "byte_transformer_tiny", "--optimizer", "adam", "--max-tokens", "400"),
        *("--encoder-from", first),
    )
    assert error.split("\n")[-1].endswith(f"--encoder-from {first}: no such file")


def test_two_workers_equal_one_with_a_frozen_encoder(toy_data, trained, tmp_path):
    flags = (
        *(*QUIET, "--encoder-from", trained, "--freeze-encoder", "--max-update", "3"),
        *("--dropout", "0", "--max-tokens", "10000", "--batch-size", "8"),
    )
    train(toy_data, tmp_path / "one", *flags, "--update-freq", "2")
    train_with_two_workers(toy_data, tmp_path / "two", *flags)
    one, two = (state_of(tmp_path / name / LAST) for name in ("one", "two"))
    for name, value in one.items():
        assert torch.allclose(value, two[name], atol=1e-5), name
    assert not changed(trained, tmp_path / "two" / LAST)[0]
