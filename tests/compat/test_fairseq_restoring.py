"""Training that starts from a checkpoint of another model says what is other."""

import logging
import shutil
from pathlib import Path

import pytest
import torch
from fairseq.checkpoint_utils import load_model_ensemble

from ..helpers import write_pair
from ..tasks.running import train_here


@pytest.fixture(scope="module")
def first(toy_data, tmp_path_factory):
    """The folder of a training of two updates."""
    folder = tmp_path_factory.mktemp("first")
    train_here(toy_data, folder, "--max-update", "2")
    return folder


def go_on(data, first, folder, way, *flags):
    """Train once more, from the checkpoint of ``first``."""
    path = first / "checkpoint_last.pt"
    if way == "resume":
        shutil.copy(path, folder / path.name)
        path, start = folder / path.name, []
    else:
        start = [way, path]
    train_here(data, folder, "--max-update", "3", *start, *flags)


OTHER_SIZES = [
    (("--encoder-embed-dim", "64"), "(--encoder-embed-dim 32 in the checkpoint, 64 here)"),
    (("--decoder-layers", "3"), "(--decoder-layers 2 in the checkpoint, 3 here)"),
    (
        ("--arch", "byte_transformer_small"),
        "(--arch byte_transformer_tiny in the checkpoint, byte_transformer_small here; "
        "--decoder-attention-heads 2 in",
    ),
    (
        ("--encoder-fusion", "ncf", "--dropout", "0.3"),
        "(--encoder-fusion none in the checkpoint, ncf here; --fusion-layers None",
    ),
    (
        ("--encoder-learned-pos", "--max-source-positions", "99"),
        "(--encoder-learned-pos False in the checkpoint, True here; --max-source-pos",
    ),
]


@pytest.mark.parametrize("way", ["resume", "--restore-file", "--finetune-from-model"])
@pytest.mark.parametrize(("flags", "message"), OTHER_SIZES, ids=lambda x: x[0])
def test_other_sizes_are_named(toy_data, first, tmp_path, way, flags, message):
    if way != "resume" and flags[0] != "--encoder-embed-dim":
        pytest.skip("as with a resume")
    with pytest.raises(RuntimeError) as caught:
        go_on(toy_data, first, tmp_path, way, *flags)
    text = str(caught.value)
    assert f"checkpoint_last.pt is of another model {message}" in text
    assert text.endswith(
        "give those of the checkpoint, or train anew in another --save-dir"
    )
    assert "\n" not in text
    assert "dropout" not in text
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ("--criterion", "label_smoothed_cross_entropy_with_alignment"),
            "another --criterion, LabelSmoothedCrossEntropyCriterion, here it is Label",
        ),
        (("--bf16",), "was trained without --fp16 or --bf16, here it is with: do as then"),
        (("--optimizer", "sgd"), "another --optimizer, FairseqAdam, here it is SGD: give"),
        (
            ("--share-decoder-input-output-embed",),
            "(--share-decoder-input-output-embed False in the checkpoint, True here)",
        ),
        (("--restore-file", "no.pt"), "--restore-file no.pt: no such file; drop that"),
    ],
    ids=lambda x: x[0],
)
def test_another_training_is_named(toy_data, first, tmp_path, flags, message):
    with pytest.raises((RuntimeError, FileNotFoundError)) as caught:
        go_on(toy_data, first, tmp_path, "resume", *flags)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_same_sizes_may_mean_another_model(toy_data, first, tmp_path, caplog):
    flags = ("--encoder-attention-heads", "4", "--dropout", "0.3")
    with caplog.at_level(logging.WARNING):
        go_on(toy_data, first, tmp_path, "resume", *flags)
    found = [r.getMessage() for r in caplog.records if "not quite" in r.getMessage()]
    assert len(found) == 1
    assert found[0].endswith("sizes: --encoder-attention-heads 2 in the checkpoint, 4 here")


def test_the_same_model_goes_on_without_a_word(toy_data, first, tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        go_on(toy_data, first, tmp_path, "resume", "--max-source-positions", "999")
    assert "in the checkpoint" not in caplog.text
    assert (tmp_path / "checkpoint_last.pt").exists()


@pytest.mark.parametrize(
    ("letters", "message"),
    [
        ("abd", "dict.char.en.txt is not the vocabulary it was trained with: put that in"),
        ("abcd", "dict.char.en.txt is not the vocabulary it was trained with: put that in"),
        (None, "it was trained with --target-unit char, and this is --target-unit byte"),
    ],
)
def test_another_vocabulary_is_named(tmp_path, letters, message):
    for split in ("train", "valid"):
        write_pair(tmp_path, split, ["ab"] * 4, ["ba"] * 4)

    def vocabulary(letters):
        lines = "".join(f"{letter} 1\n" for letter in letters)
        (tmp_path / "dict.char.en.txt").write_text(lines)

    vocabulary("abc")
    train_here(tmp_path, tmp_path / "run", "--max-update", "1", "--target-unit", "char")
    unit = "char" if letters else "byte"
    vocabulary(letters or "abc")
    flags = ("--max-update", "2", "--target-unit", unit)
    with pytest.raises(RuntimeError, match=message):
        train_here(tmp_path, tmp_path / "run", *flags)


def test_other_tags_and_words_are_named(toy_data, tmp_path):
    mixture = ("--encoder-embedder", "mixture", "--mixture", "hybrid")
    flags = (*mixture, "--mixture-composer", "char-rnn", "--char-embed-dim", "16")
    train_here(toy_data, tmp_path / "run", "--max-update", "1", *flags)
    data = shutil.copytree(toy_data, tmp_path / "data")
    words = (data / "dict.word.xx.txt").read_text().split("\n")
    (data / "dict.word.xx.txt").write_text("\n".join([*words[1:-1], words[0], ""]))
    with pytest.raises(RuntimeError, match="xx.txt is not the list of words it was train"):
        train_here(data, tmp_path / "run", "--max-update", "2", *flags)
    with pytest.raises(RuntimeError, match="with no tags, and this training has tags for"):
        train_here(toy_data, tmp_path / "run", "--max-update", "2", "--source-tag")


def test_what_is_trained_to_its_end_stays(toy_data, first, tmp_path):
    last = shutil.copy(first / "checkpoint_last.pt", tmp_path)
    before = (first / "checkpoint_last.pt").read_bytes()
    train_here(toy_data, tmp_path, "--max-update", "2")
    assert Path(last).read_bytes() == before


def test_a_default_that_has_changed_is_named_with_what_it_was(toy_data, tmp_path):
    """As of a checkpoint that was made when wsf had two thirds of the layers."""
    flags = ("--encoder-layers", "3", "--encoder-fusion", "wsf")
    train_here(toy_data, tmp_path, *flags, "--fusion-layers", "2", "--max-update", "2")
    path = tmp_path / "checkpoint_last.pt"
    state = torch.load(path)
    state["cfg"]["model"]["fusion_layers"] = None
    torch.save(state, path)
    with pytest.raises(RuntimeError, match="--fusion-layers 2 in the checkpoint, 1 here"):
        train_here(toy_data, tmp_path, *flags, "--max-update", "3")


@pytest.mark.parametrize(
    ("filters", "then", "message"),
    [
        ("kim-small", ("--char-cnn-highway-layers", "2"), "2 in the checkpoint, 1 here"),
        ("elmo", ("--char-cnn-activation", "tanh"), "tanh in the checkpoint, relu here"),
    ],
)
def test_a_preset_that_has_changed_is_named_with_what_it_was(
    toy_data, tmp_path, filters, then, message
):
    """As of a checkpoint older than the flag ``then``; sizes may be the same."""
    flags = ("--encoder-embedder", "char-cnn", "--char-cnn-filters", filters)
    train_here(toy_data, tmp_path, *flags, *then, "--max-update", "2")
    path = tmp_path / "checkpoint_last.pt"
    state = torch.load(path)
    for name in ("char_cnn_highway_layers", "char_cnn_activation"):
        del state["cfg"]["model"][name]
    torch.save(state, path)
    (model,), _ = load_model_ensemble([str(path)])
    assert len(model.encoder.embed_tokens.highway.layers) == 2
    assert model.encoder.embed_tokens.activation is torch.tanh
    wanted = rf"is of another model \({then[0]} {message}\): give those of the checkpoint"
    with pytest.raises(RuntimeError, match=wanted):
        train_here(toy_data, tmp_path, *flags, "--max-update", "3")
    train_here(toy_data, tmp_path, *flags, *then, "--max-update", "3")
    assert torch.load(path)["optimizer_history"][-1]["num_updates"] == 3
