import io
import sys
from argparse import Namespace

import numpy as np
import pytest
import torch
from fairseq import utils

from fairseq_bytefusion import compat
from fairseq_bytefusion.compat.fairseq import can_halve, read_interactive_lines_raw
from fairseq_bytefusion.compat.versions import version_of
from fairseq_bytefusion.text.lines import read_sentences

from ..helpers import REPO, build_model, run
from ..tasks.running import train_here
from ..test_systems_end_to_end import SYSTEMS


def test_import_prints_nothing():
    code = (
        "import fairseq_bytefusion, importlib; importlib.reload(fairseq_bytefusion); "
        "import logging; logging.getLogger('x').info('chatter')"
    )
    result = run(sys.executable, "-W", "ignore", "-c", code, cwd=REPO)
    assert result.stdout == b""
    for unwanted in (b"tensorboardX", b"chatter"):
        assert unwanted not in result.stderr


@pytest.mark.parametrize("count", [0, 1, 8, 9, 20])
def test_no_sentence_is_left_out_of_the_batches(count):
    from fairseq.data import data_utils

    indices, sizes = np.arange(count), np.full(count, 3)

    def batches(function):
        found = function(
            indices, sizes.__getitem__, sizes, max_tokens=40, required_batch_size_multiple=8
        )
        return [list(map(int, batch)) for batch in found]

    assert sum(batches(data_utils.batch_by_size), []) == list(range(count))
    if version_of("fairseq-fixed") and count == 9:
        original = data_utils.batch_by_size.__wrapped__
        assert batches(original) == [list(range(8))]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ("one", ["one"]),
        ("none", ["none"]),
        ("one:two", ["one", "two"]),
        ("one:none:two", ["one", "none", "two"]),
        ("a:b.pt", ["a:b.pt"]),
        ("run:1/c.pt", ["run:1/c.pt"]),
        ("run:1/c.pt:one:run:1/c.pt", ["run:1/c.pt", "one", "run:1/c.pt"]),
        ("run:1:one", ["run:1", "one"]),
        ("one:two:three", ["one:two:three"]),
        ("one:", ["one", ""]),
        ("", [""]),
        ("s3://x|s3://y", ["s3://x", "s3://y"]),
    ],
)
def test_what_exists_wins_over_several_paths(tmp_path, monkeypatch, paths, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run:1").mkdir()
    for name in ("one", "two", "one:two:three", "a:b.pt", "run:1/c.pt"):
        (tmp_path / name).write_bytes(b"")
    assert utils.split_paths(paths) == expected


@pytest.mark.parametrize(
    ("options", "dtype"),
    [
        ({"bf16": True}, torch.bfloat16),
        ({"bf16": False}, torch.float32),
        ({"bf16": True, "fp16": True}, torch.float32),  # fairseq has made it 16 bits
        ({}, torch.float32),
    ],
)
def test_bf16_counts_in_generation(options, dtype):
    model = build_model()
    cfg = Namespace(common=Namespace(**options), generation=Namespace())
    model.prepare_for_inference_(cfg)
    assert {parameter.dtype for parameter in model.parameters()} == {dtype}


@pytest.mark.parametrize("source", ["-", "file"])
def test_interactive_lines_are_raw(tmp_path, monkeypatch, source):
    from fairseq_cli import interactive

    raw = b" a\rb \ncaf\xe9\r\n\n" + "x\u2028y".encode()
    if source == "file":
        source = str(tmp_path / "file")
        (tmp_path / "file").write_bytes(raw)
    else:
        stream = io.TextIOWrapper(io.BytesIO(raw), encoding="ascii")
        monkeypatch.setattr(sys, "stdin", stream)
        compat.utf8_standard_streams()
    read_interactive_lines_raw(read_sentences)
    found = list(interactive.buffered_read(source, 3))
    assert found == [[" a\rb ", "caf\udce9", ""], ["x\u2028y"]]


@pytest.mark.parametrize("system", ["dense", "one-hot"])  # whose first update overflows
@pytest.mark.parametrize(
    "flag", ["--fp16", "--bf16", "--memory-efficient-fp16", "--memory-efficient-bf16"]
)
def test_half_precision_trains_on_a_cpu(toy_data, tmp_path, monkeypatch, flag, system):
    if "fp16" in flag and not can_halve(torch):
        pytest.skip(f"torch {torch.__version__} cannot")
    monkeypatch.setattr(torch.Tensor, "cuda", torch.Tensor.cuda)  # undone afterwards
    flags = (*SYSTEMS.get(system, ()), flag)
    for updates in "13":  # and goes on
        train_here(toy_data, tmp_path, "--max-update", updates, *flags)
    state = torch.load(tmp_path / "checkpoint_last.pt")
    assert state["optimizer_history"][-1]["optimizer_name"].endswith("FP16Optimizer")
    assert all(w.isfinite().all() for w in state["model"].values() if w.numel() > 1)


def test_half_precision_is_refused_where_torch_has_none(toy_data, tmp_path, monkeypatch):
    def none(*args):
        raise RuntimeError("\"LayerNormKernelImpl\" not implemented for 'Half'")

    monkeypatch.setattr(torch.nn.functional, "layer_norm", none)
    with pytest.raises(
        ValueError, match="cannot train with --fp16 without a GPU: give --bf"
    ):
        train_here(toy_data, tmp_path, "--max-update", "1", "--fp16")


def test_amp_without_a_gpu_is_no_secret(toy_data, tmp_path, caplog):
    train_here(toy_data, tmp_path, "--max-update", "1", "--amp")
    assert "--amp does nothing without a GPU" in caplog.text
