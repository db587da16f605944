import pytest
import torch

from fairseq_bytefusion import cli
from fairseq_bytefusion.checkpoints.averaging import best_checkpoints, last_checkpoints

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


def touch(folder, *names):
    for name in names:
        (folder / name).write_bytes(b"")


def test_the_newest_by_update_or_by_epoch(tmp_path):
    touch(tmp_path, "checkpoint9.pt", "checkpoint10.pt", "checkpoint_best.pt")
    assert last_checkpoints(tmp_path, 1) == [str(tmp_path / "checkpoint10.pt")]
    touch(tmp_path, "checkpoint_1_90.pt", "checkpoint_2_100.pt", "checkpoint_3_1000.pt")
    found = [str(tmp_path / f"checkpoint_{n}.pt") for n in ("3_1000", "2_100")]
    assert last_checkpoints(tmp_path, 2) == found


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


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["DIR", "--last", "2"], "holds 0 numbered checkpoints, 2 are asked for"),
        (["DIR", "--best", "1"], "--keep-best-checkpoints"),
        (["DIR/a.pt", "--last", "1"], "one directory"),
        (["DIR/a.pt", "DIR/wide.pt"], "wide.pt is not the same model as"),
        (["DIR/a.pt", "DIR/none.pt"], "none.pt: No such file"),
    ],
)
def test_what_cannot_be_averaged(tmp_path, capsys, args, message):
    save(tmp_path / "a.pt")
    save(tmp_path / "wide.pt", encoder_ffn_embed_dim=48)
    args = [arg.replace("DIR", str(tmp_path)) for arg in args]
    assert cli.main(["average", *args, "--output", str(tmp_path / "x.pt")]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "x.pt").exists()
