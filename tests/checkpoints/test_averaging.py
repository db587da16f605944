import os

import pytest
import torch

from fairseq_bytefusion import cli
from fairseq_bytefusion.checkpoints.averaging import best_checkpoints, last_checkpoints
from fairseq_bytefusion.text.word_list import pack_labels, pack_words

from .test_inspection import save


def load(path):
    return torch.load(path, map_location="cpu")["model"]


@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_the_mean_of_parameters(tmp_path, shift):
    save(tmp_path / "a.pt")
    state = torch.load(tmp_path / "a.pt")
    for name, tensor in state["model"].items():
        state["model"][name] = tensor + shift
    torch.save(state, tmp_path / "b.pt")
    paths = [str(tmp_path / f"{name}.pt") for name in "ab"]
    assert cli.main(["average", *paths, "--output", str(tmp_path / "mean.pt")]) == 0
    first, mean = load(tmp_path / "a.pt"), load(tmp_path / "mean.pt")
    assert first.keys() == mean.keys()
    for name, tensor in first.items():
        if not name.endswith("_float_tensor"):  # fairseq never initialises it
            assert torch.allclose(mean[name], tensor + shift / 2), name
            assert shift or torch.equal(mean[name], tensor)


def test_a_shared_table_stays_one(tmp_path, capsys):
    size = save(tmp_path / "a.pt", share_all_embeddings=True)
    path = str(tmp_path / "mean.pt")
    assert cli.main(["average", str(tmp_path / "a.pt"), "--output", path]) == 0
    assert cli.main(["inspect", path]) == 0
    assert f", {size:,} parameters" in capsys.readouterr().out


def test_models_of_other_labels_have_no_mean(tmp_path, capsys):
    for name, labels in (("a", ["O", "X"]), ("b", ["O", "Y"])):
        save(tmp_path / f"{name}.pt")
        state = torch.load(tmp_path / f"{name}.pt")
        state["task_state"] = {"labels": pack_labels(labels)}
        torch.save(state, tmp_path / f"{name}.pt")
    paths = [str(tmp_path / f"{name}.pt") for name in "ab"]
    assert cli.main(["average", *paths, "--output", str(tmp_path / "mean.pt")]) == 1
    assert "b.pt has other labels than" in capsys.readouterr().err


def test_mixtures_of_other_words_have_no_mean(tmp_path, capsys):
    for name, words in (("a", [b"a", b"b"]), ("b", [b"b", b"a"])):
        save(tmp_path / f"{name}.pt")
        state = torch.load(tmp_path / f"{name}.pt")
        state["task_state"] = {"source_words": pack_words(words)}
        torch.save(state, tmp_path / f"{name}.pt")
    paths = [str(tmp_path / f"{name}.pt") for name in "ab"]
    assert cli.main(["average", *paths, "--output", str(tmp_path / "mean.pt")]) == 1
    assert "b.pt knows other words than" in capsys.readouterr().err
    assert not (tmp_path / "mean.pt").exists()


def touch(folder, *names):
    for name in names:
        (folder / name).write_bytes(b"")


def test_the_newest_by_update_or_by_epoch(tmp_path):
    touch(tmp_path, "checkpoint9.pt", "checkpoint10.pt", "checkpoint_best.pt")
    assert last_checkpoints(tmp_path, 1) == [str(tmp_path / "checkpoint10.pt")]
    touch(tmp_path, "checkpoint_8_90.pt", "checkpoint_9_100.pt", "checkpoint_10_1000.pt")
    found = [str(tmp_path / f"checkpoint_{n}.pt") for n in ("10_1000", "9_100")]
    assert last_checkpoints(tmp_path, 2) == found


BY_EPOCH = [f"checkpoint{n}.pt" for n in range(1, 6)]


@pytest.mark.parametrize(
    ("names", "count", "expected", "kind"),
    [
        (["checkpoint_2_900.pt"], 3, BY_EPOCH[:1:-1], "by epoch"),
        (["checkpoint_2_900.pt"], 1, BY_EPOCH[4:], "by epoch"),  # 900 is of long ago
        (["checkpoint_5_900.pt"], 1, ["checkpoint_5_900.pt"], "by update"),
        (["checkpoint_6_900.pt"], 1, ["checkpoint_6_900.pt"], "by update"),
        (["checkpoint_6_900.pt"], 2, BY_EPOCH[:2:-1], "by epoch"),
    ],
)
def test_of_two_kinds_of_numbers_one_is_taken(
    tmp_path, caplog, names, count, expected, kind
):
    touch(tmp_path, *names, *BY_EPOCH)
    found = last_checkpoints(str(tmp_path), count)
    assert found == [str(tmp_path / name) for name in expected]
    assert f"1 by update and 5 by epoch checkpoints: the newest {kind}" in caplog.text


def test_two_kinds_of_numbers_and_too_few_of_each(tmp_path):
    touch(tmp_path, "checkpoint_2_900.pt", *BY_EPOCH)
    with pytest.raises(FileNotFoundError, match="1 by update and 5 by epoch .* 6 of"):
        last_checkpoints(str(tmp_path), 6)


@pytest.mark.parametrize("maximize", [False, True])
def test_the_best_by_their_metric(tmp_path, maximize):
    for number in ("9.50", "10.25", "-1.00"):
        path = tmp_path / f"checkpoint.best_bleu_{number}.pt"
        save(path)
        state = torch.load(path)
        state["cfg"]["checkpoint"] = {"maximize_best_checkpoint_metric": maximize}
        torch.save(state, path)
    order = ["10.25", "9.50", "-1.00"] if maximize else ["-1.00", "9.50", "10.25"]
    found = [str(tmp_path / f"checkpoint.best_bleu_{n}.pt") for n in order]
    assert best_checkpoints(tmp_path, 2) == found[:2]


def save_best(folder, name, metric, maximize):
    """A checkpoint that was kept as one of the best by ``metric``."""
    save(folder / name)
    state = torch.load(folder / name)
    state["cfg"]["checkpoint"] = {
        "best_checkpoint_metric": metric,
        "maximize_best_checkpoint_metric": maximize,
    }
    torch.save(state, folder / name)


def test_the_best_of_a_folder_with_two_metrics(tmp_path, caplog):
    for number in ("3.500", "4.200"):
        save_best(tmp_path, f"checkpoint.best_nll_loss_{number}.pt", "nll_loss", False)
    for number in ("1.100", "14.600", "9.300"):
        save_best(tmp_path, f"checkpoint.best_bleu_{number}.pt", "bleu", True)
    folder = str(tmp_path)
    with pytest.raises(ValueError, match="by bleu and by nll_loss: choose with --metric"):
        best_checkpoints(folder, 2)
    bleu = [f"{folder}/checkpoint.best_bleu_{number}.pt" for number in ("14.600", "9.300")]
    loss = [f"{folder}/checkpoint.best_nll_loss_{number}.pt" for number in (3.5, 4.2)]
    loss = [path.replace(".pt", "00.pt") for path in loss]
    assert best_checkpoints(folder, 2, "bleu") == bleu
    assert best_checkpoints(folder, 2, "nll_loss") == loss
    save_best(tmp_path, "checkpoint_last.pt", "bleu", True)
    assert best_checkpoints(folder, 2) == bleu
    assert "those by bleu, the metric of its training, are taken" in caplog.text
    with pytest.raises(FileNotFoundError, match="0 best_wer .*by: bleu, nll_loss"):
        best_checkpoints(folder, 2, "wer")


def test_what_is_better_says_the_file_that_was_written_last(tmp_path):
    # A training that was resumed with --maximize-best-checkpoint-metric.
    save_best(tmp_path, "checkpoint.best_bleu_1.000.pt", "bleu", False)
    save_best(tmp_path, "checkpoint.best_bleu_9.000.pt", "bleu", True)
    os.utime(tmp_path / "checkpoint.best_bleu_1.000.pt", (1, 1))
    (best,) = best_checkpoints(str(tmp_path), 1)
    assert best.endswith("9.000.pt")


def poison(path, name, value):
    """Write ``value`` into the parameter ``name`` of a checkpoint."""
    state = torch.load(path)
    state["model"][name].view(-1)[-1] = value
    torch.save(state, path)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_not_averaged(tmp_path, capsys, value):
    for name in "ab":
        save(tmp_path / f"{name}.pt")
    poison(tmp_path / "b.pt", "encoder.layers.0.fc1.weight", value)
    paths = [str(tmp_path / f"{name}.pt") for name in "ab"]
    assert cli.main(["average", *paths, "--output", str(tmp_path / "x.pt")]) == 1
    message = "b.pt holds NaN or infinity in encoder.layers.0.fc1.weight: its training"
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pt", "b.pt"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["DIR", "--last", "2"], "holds 0 numbered checkpoints, 2 are asked for"),
        (["DIR", "--best", "1"], "--keep-best-checkpoints"),
        (["DIR/a.pt", "--last", "1"], "one directory"),
        (["DIR/a.pt", "DIR/wide.pt"], "wide.pt is not the same model as"),
        (["DIR/a.pt", "DIR/none.pt"], "none.pt: No such file"),
        (["DIR/a.pt", "DIR/a.pt", "--metric", "bleu"], "--metric says what --best goes by"),
        (["DIR/a.pt", "--output", "DIR/a.pt"], "a.pt is one of the checkpoints to average"),
        (["DIR/a.pt", "--output", "DIR/none/x.pt"], "none/x.pt: No such file"),
        (["DIR/a.pt", "--output", "DIR"], "Is a directory"),
    ],
)
def test_what_cannot_be_averaged(tmp_path, capsys, args, message):
    save(tmp_path / "a.pt")
    save(tmp_path / "wide.pt", encoder_ffn_embed_dim=48)
    args = [arg.replace("DIR", str(tmp_path)) for arg in args]
    before = (tmp_path / "a.pt").read_bytes()
    assert cli.main(["average", "--output", str(tmp_path / "x.pt"), *args]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pt", "wide.pt"]
    assert (tmp_path / "a.pt").read_bytes() == before
