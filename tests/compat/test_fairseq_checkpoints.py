import errno
import os
import shutil
from argparse import Namespace
from pathlib import Path

import pytest
import torch
from fairseq import checkpoint_utils, file_io
from omegaconf import OmegaConf

from fairseq_bytefusion.compat.fairseq_checkpoints import (
    drop_fused_path_copies,
    options_of,
    writable,
)

from ..checkpoints.test_inspection import save
from ..helpers import train

OPTIONS = {"_name": "x", "data": "DIR"}
REFERENCE = {"task": {**OPTIONS, "data": "${common.data}"}, "common": OPTIONS}


@pytest.mark.parametrize(
    "cfg",
    [
        {"task": OPTIONS},
        {"task": Namespace(**OPTIONS)},
        OmegaConf.create({"task": OPTIONS}),
        OmegaConf.create(REFERENCE),
    ],
    ids=["dict", "namespace", "config", "reference"],
)
def test_options_are_a_dict_whatever_holds_them(cfg):
    assert options_of({"cfg": cfg}, "task") == OPTIONS
    assert options_of({"cfg": cfg}, "model") == {}


def test_options_of_a_task_without_a_dataclass(tmp_path):
    save(tmp_path / "a.pt")
    state = torch.load(tmp_path / "a.pt")
    state["cfg"]["task"] = Namespace(**OPTIONS)
    torch.save(state, tmp_path / "a.pt")
    state = checkpoint_utils.load_checkpoint_to_cpu(str(tmp_path / "a.pt"))
    assert OmegaConf.is_config(state["cfg"])
    assert options_of(state, "task") == OPTIONS


@pytest.mark.parametrize("state", [{}, {"cfg": None}, {"cfg": {"task": None}}])
def test_a_checkpoint_without_options(state):
    assert options_of(state, "task") == {}


def test_what_was_read_can_be_written(tmp_path):
    save(tmp_path / "a.pt")
    state = checkpoint_utils.load_checkpoint_to_cpu(str(tmp_path / "a.pt"))
    assert OmegaConf.is_config(state["cfg"])
    torch.save(writable(state), tmp_path / "b.pt")
    again = torch.load(tmp_path / "b.pt", weights_only=True)
    assert again["cfg"]["task"]["source_unit"] == "char"


def test_copies_for_the_fused_path_are_dropped():
    own = {"a.0.fc1.weight": 1, "a.0.self_attn.out_proj.bias": 2, "a.1.fc1_weight": 3}
    copies = {"a.0.in_proj_weight": 4, "a.0.fc1_weight": 5, "a.0.out_proj_bias": 6}
    parameters = {**own, **copies}
    drop_fused_path_copies(parameters, "a.0")
    assert parameters == own


def test_a_checkpoint_is_named_by_its_update_also_where_an_epoch_ends(toy_data, tmp_path):
    # 60 pairs in batches of 16: an epoch ends on update 4 and on update 8.
    train(
        toy_data, tmp_path, "--max-tokens", "20000", "--batch-size", "16",
        "--max-update", "8", "--no-epoch-checkpoints", "--disable-validation",
        "--save-interval", "100", "--save-interval-updates", "2",
        "--keep-interval-updates", "3",
    )  # fmt: skip
    found = sorted(path.name for path in tmp_path.glob("checkpoint_*_*.pt"))
    assert found == ["checkpoint_1_4.pt", "checkpoint_2_6.pt", "checkpoint_2_8.pt"]
    last = (tmp_path / "checkpoint_last.pt").read_bytes()
    assert (tmp_path / "checkpoint_2_8.pt").read_bytes() == last


@pytest.mark.parametrize("failures", [1, 3])
def test_a_disk_that_is_full_for_a_while(tmp_path, monkeypatch, failures):
    path, save, failed = tmp_path / "checkpoint_last.pt", torch.save, []
    path.write_bytes(b"old")

    def save_if_there_is_room(state, file):
        if len(failed) < failures:
            file.write(b"half")
            failed.append(OSError(errno.ENOSPC, "No space left on device"))
            raise failed[-1]
        save(state, file)

    monkeypatch.setattr(torch, "save", save_if_there_is_room)
    monkeypatch.setattr(checkpoint_utils.time, "sleep", lambda seconds: None)
    if failures < 3:
        checkpoint_utils.torch_persistent_save({"a": 1}, str(path))
        assert torch.load(path) == {"a": 1}
    else:
        with pytest.raises(OSError, match="No space left .*checkpoint_last.pt"):
            checkpoint_utils.torch_persistent_save({"a": 1}, str(path))
        assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [path.name]


def test_a_checkpoint_has_its_name_when_it_is_whole(tmp_path, monkeypatch):
    first, last = tmp_path / "checkpoint_best.pt", tmp_path / "checkpoint_last.pt"
    first.write_bytes(b"new")
    last.write_bytes(b"old")

    def copy_half(source, target):
        assert source == str(first)
        Path(target).write_bytes(first.read_bytes()[:1])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", copy_half)
        patch.setattr(file_io, "IOPathManager", None)
        with pytest.raises(KeyboardInterrupt):
            file_io.PathManager.copy(str(first), str(last), overwrite=True)
    assert last.read_bytes() == b"old"
    assert sorted(tmp_path.iterdir()) == [first, last]
    assert file_io.PathManager.copy(str(first), str(last), overwrite=True)
    assert last.read_bytes() == b"new"
