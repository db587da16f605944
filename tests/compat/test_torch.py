import argparse
import gzip
import os
import sys
import zipfile
from collections import OrderedDict

import numpy as np
import pytest
import torch
from fairseq import checkpoint_utils

from fairseq_bytefusion.compat.torch import load_weights, naming_missing_precision
from fairseq_bytefusion.compat.versions import version_of

from ..helpers import REPO, run

WITHOUT = """
import argparse, numpy, torch
state = {{"args": argparse.Namespace(a=1), "counts": numpy.arange(3)}}
state["score"] = numpy.float64(2.5)
torch.save(state, {path!r})
if {allow}:
    from fairseq_bytefusion.compat import torch as workarounds
    workarounds.allow_checkpoint_globals()
loaded = torch.load({path!r}, weights_only=True)
assert loaded["args"].a == 1 and loaded["counts"].tolist() == [0, 1, 2]
"""


@pytest.mark.skipif(
    version_of("torch") < (2, 6), reason="torch.load is not weights_only by default"
)
@pytest.mark.parametrize("allow", [False, True])
def test_checkpoint_globals(tmp_path, allow):
    code = WITHOUT.format(path=str(tmp_path / "x.pt"), allow=allow)
    result = run(sys.executable, "-c", code, check=False, cwd=REPO)
    assert (result.returncode == 0) == allow
    if not allow:
        assert b"Weights only load failed" in result.stderr


def test_the_protection_stays_on(tmp_path):
    path = tmp_path / "x.pt"
    torch.save({"bad": argparse.Action([], "x")}, path)
    if version_of("torch") >= (2, 6):
        with pytest.raises(Exception, match="Weights only load failed"):
            torch.load(path)


class Hostile:
    """What makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


class Dangerous:
    def __reduce__(self):
        return os.system, ("true",)


@pytest.fixture(params=["by itself", "below 2.4"])
def torch_version(request, monkeypatch):
    """torch as it is, and as one that cannot be told what is harmless."""
    if request.param == "below 2.4":
        monkeypatch.delattr(torch.serialization, "add_safe_globals", raising=False)
        # Its torch.load has no weights_only that is on by default.
        load = torch.load
        monkeypatch.setattr(
            *(torch, "load"),
            lambda f, weights_only=False, **kwargs: load(
                f, weights_only=weights_only, **kwargs
            ),
        )
    elif not hasattr(torch.serialization, "add_safe_globals"):
        pytest.skip("torch is older than 2.4")


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])
@pytest.mark.parametrize("before", [{}, {"model": torch.zeros(3)}], ids=["alone", "model"])
def test_a_hostile_checkpoint_is_not_run(tmp_path, torch_version, zipped, before):
    path, made = tmp_path / "x.pt", tmp_path / "made"
    state = {**before, "cfg": Hostile(made)}
    torch.save(state, path, _use_new_zipfile_serialization=zipped)
    message = r"x\.pt cannot .* it wants to run code when it is opened \((io\.|)open\)"
    with pytest.raises(RuntimeError, match=message):
        checkpoint_utils.load_checkpoint_to_cpu(str(path))
    assert not made.exists()


def test_what_torch_blocks_by_itself_is_named_too(tmp_path, torch_version):
    torch.save({"cfg": Dangerous()}, tmp_path / "x.pt")
    with pytest.raises(RuntimeError, match=r"wants to run code .*\((posix|nt)\.system\)"):
        checkpoint_utils.load_checkpoint_to_cpu(str(tmp_path / "x.pt"))


@pytest.mark.parametrize(
    "raw", [b"PK\x03\x04 no more", gzip.compress(b"text", mtime=0), b"", b"hi\n"]
)
def test_what_is_not_hostile_is_called_cut_short(tmp_path, torch_version, raw):
    (tmp_path / "x.pt").write_bytes(raw)
    with pytest.raises(RuntimeError, match="it may be cut short") as error:
        checkpoint_utils.load_checkpoint_to_cpu(str(tmp_path / "x.pt"))
    assert "\n" not in str(error.value)
    assert "weights_only" not in str(error.value)


VALUES = {
    "args": argparse.Namespace(a=1),
    "counts": np.arange(4),
    "flags": np.array([True, False]),
    "halves": np.array([1, 2], dtype=np.float16),
    "small": np.array([1, 2], dtype=np.uint8),
    "score": np.float64(2.5),
    "updates": np.int64(7),
    "names": {b"caf\xe9", "x"},
    "model": OrderedDict(a=torch.arange(3.0), b=torch.nn.Parameter(torch.ones(2))),
}


def rename(path, old, new):
    """Let the file ask for the module ``new`` where it asked for ``old`` (bytes)."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            if name.endswith("/data.pkl"):
                content = content.replace(b"c" + old, b"c" + new)
                assert new in content
            archive.writestr(name, content)


@pytest.mark.parametrize("module", [b"numpy.core.", b"numpy._core."])
def test_a_checkpoint_of_either_numpy(tmp_path, torch_version, module):
    path = tmp_path / "x.pt"
    torch.save(VALUES, path)
    mine = np.array([1]).__reduce__()[0].__module__.replace("multiarray", "").encode()
    rename(path, mine, module)
    with open(path, "rb") as file:
        loaded = load_weights(file)
    assert loaded.keys() == VALUES.keys()
    for name in ("counts", "flags", "halves", "small"):
        assert loaded[name].dtype == VALUES[name].dtype
        assert loaded[name].tolist() == VALUES[name].tolist()
    for name in ("args", "score", "updates", "names"):
        assert loaded[name] == VALUES[name]
        assert type(loaded[name]) is type(VALUES[name])
    assert torch.equal(loaded["model"]["a"], torch.arange(3.0))


def test_every_old_checkpoint_is_harmless(torch_version):
    folder = REPO / "tests/old_checkpoints"
    for path in sorted(folder.glob("*.pt")):
        assert checkpoint_utils.load_checkpoint_to_cpu(str(path))["model"], path


def test_only_checkpoints_are_guarded(tmp_path):
    assert checkpoint_utils.torch.Tensor is torch.Tensor
    assert torch.load is not load_weights


@pytest.mark.parametrize(("kind", "flag"), [("Half", "--fp16"), ("BFloat16", "--bf16")])
def test_a_precision_that_a_device_lacks(kind, flag):
    error = RuntimeError(f"\"addmm_impl_cpu_\" not implemented for '{kind}'")
    message = f"cannot translate with {flag} .*: drop {flag}"
    with pytest.raises(ValueError, match=message), naming_missing_precision():
        raise error


def test_other_errors_are_left_alone():
    with pytest.raises(RuntimeError, match="^full$"), naming_missing_precision():
        raise RuntimeError("full")
