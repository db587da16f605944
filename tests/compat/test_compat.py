import argparse
import io
import sys

import numpy as np
import pytest
import torch

from fairseq_bytefusion import compat
from fairseq_bytefusion.text.lines import read_sentences

from ..helpers import REPO, run

OFFICIAL = (0, 12, 2)
FIXED = (0, 12, 3, 1)


@pytest.mark.parametrize(
    ("python", "fairseq", "fixed", "torch_version", "numpy", "expected"),
    [
        ((3, 11), None, FIXED, (2, 13, 0), (2, 4), None),
        ((3, 13), None, FIXED, (2, 6, 0), (1, 26), None),
        ((3, 10), OFFICIAL, None, (2, 2, 2), (1, 23, 5), None),
        ((3, 9), OFFICIAL, None, (2, 0, 1), (1, 23, 5), None),
        ((3, 10), None, FIXED, (2, 2, 2), (2, 0), None),
        ((3, 10), (0, 12, 1), None, (2, 0), (1, 23), "0.12.1 is older than 0.12.2"),
        ((3, 8), OFFICIAL, None, (2, 0), (1, 23), "Python 3.9 or newer"),
        ((3, 12), None, None, None, None, "pip install fairseq-fixed==0.12.3.1"),
        ((3, 10), None, None, None, None, "pip install fairseq==0.12.2"),
        ((3, 10), (0, 10, 2), None, (2, 0), (1, 23), "fairseq 0.10.2 is not 0.12"),
        ((3, 11), OFFICIAL, None, (2, 0), (1, 23), "cannot be imported on Python 3.11"),
        ((3, 11), None, FIXED, None, (2, 0), r"not installed.*'torch>=2\.0'"),
        ((3, 11), None, FIXED, (1, 13, 1), (2, 0), r"1\.13\.1.*'torch>=2\.0'"),
        ((3, 10), OFFICIAL, None, (2, 2), (1, 26, 4), r"'numpy<1\.24'"),
    ],
)
def test_version_problem(python, fairseq, fixed, torch_version, numpy, expected):
    problem = compat.version_problem(python, fairseq, fixed, torch_version, numpy)
    if expected is None:
        assert problem is None
    else:
        with pytest.raises(ImportError, match=expected):
            raise ImportError(problem)
        assert "\n" not in problem


def test_what_is_installed_here_works():
    compat.check_versions()
    assert compat._version("no such distribution") is None
    assert compat._version("torch")[0] == 2


def test_a_wrong_version_is_one_sentence_at_import():
    code = (
        "import importlib.metadata as m; real = m.version\n"
        "m.version = lambda name: '1.13.1+cpu' if name == 'torch' else real(name)\n"
        "import fairseq_bytefusion"
    )
    result = run(sys.executable, "-c", code, check=False, cwd=REPO)
    last = result.stderr.decode().strip().split("\n")[-1]
    assert last.startswith("ImportError: torch 2.0 or newer is needed (1.13.1)")


def test_import_prints_nothing():
    code = (
        "import fairseq_bytefusion, importlib; importlib.reload(fairseq_bytefusion); "
        "import logging; logging.getLogger('x').info('chatter')"
    )
    result = run(sys.executable, "-W", "ignore", "-c", code, cwd=REPO)
    assert result.stdout == b""
    for unwanted in (b"tensorboardX", b"chatter"):
        assert unwanted not in result.stderr


WITHOUT = """
import argparse, numpy, torch
state = {{"args": argparse.Namespace(a=1), "counts": numpy.arange(3)}}
state["score"] = numpy.float64(2.5)
torch.save(state, {path!r})
if {allow}:
    from fairseq_bytefusion import compat
    compat.allow_checkpoint_globals()
loaded = torch.load({path!r}, weights_only=True)
assert loaded["args"].a == 1 and loaded["counts"].tolist() == [0, 1, 2]
"""


@pytest.mark.skipif(
    compat._version("torch") < (2, 6), reason="torch.load is not weights_only by default"
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
    if compat._version("torch") >= (2, 6):
        with pytest.raises(Exception, match="Weights only load failed"):
            torch.load(path)


def test_bucketing_needs_the_numpy_workaround(monkeypatch):
    from fairseq.data import bucket_pad_length_dataset, data_utils

    sizes = np.array([1, 2, 3, 4, 5, 6])
    buckets = bucket_pad_length_dataset.get_buckets(sizes, 2)
    assert buckets.tolist() == [3, 6]
    if np.lib.NumpyVersion(np.__version__) >= "2.4.0":
        with pytest.raises(TypeError, match="interpolation"):
            data_utils.get_buckets(sizes, 2)
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        monkeypatch.delattr(np, "compat")
        compat.restore_numpy_bucketing()
        assert np.compat.long is int


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
    if compat._version("fairseq-fixed") and count == 9:
        original = data_utils.batch_by_size.__wrapped__
        assert batches(original) == [list(range(8))]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_standard_streams_are_utf8(monkeypatch, encoding):
    streams = {
        "stdin": io.TextIOWrapper(io.BytesIO(b"a\rb\ncaf\xe9\n"), encoding=encoding),
        "stdout": io.TextIOWrapper(io.BytesIO(), encoding=encoding),
        "stderr": io.TextIOWrapper(io.BytesIO(), encoding=encoding),
    }
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
    compat.utf8_standard_streams()
    assert sys.stdin.readlines() == ["a\rb\n", "caf\udce9\n"]
    print("世 \udce9")
    sys.stdout.flush()
    assert streams["stdout"].buffer.getvalue() == "世 ".encode() + b"\xe9\n"
    print("世", file=sys.stderr)


def test_replaced_or_used_streams_are_left_alone(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    used = io.TextIOWrapper(io.BytesIO(b"a\nb\n"), encoding="ascii")
    used.readline()
    monkeypatch.setattr(sys, "stdin", used)
    compat.utf8_standard_streams()


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
    compat.read_interactive_lines_raw(read_sentences)
    found = list(interactive.buffered_read(source, 3))
    assert found == [[" a\rb ", "caf\udce9", ""], ["x\u2028y"]]


def test_errors_name_the_checkpoint(tmp_path):
    from fairseq import checkpoint_utils

    broken = tmp_path / "broken.pt"
    torch.save({"args": None, "cfg": None, "weights": torch.zeros(9999)}, broken)
    broken.write_bytes(broken.read_bytes()[:-5000])
    with pytest.raises(RuntimeError, match=r"broken\.pt cannot be read as a fairseq"):
        checkpoint_utils.load_checkpoint_to_cpu(str(broken))
    with pytest.raises(OSError, match="nothing.pt"):
        checkpoint_utils.load_checkpoint_to_cpu(str(tmp_path / "nothing.pt"))
    wrapped = checkpoint_utils.load_checkpoint_to_cpu
    compat.apply()
    assert checkpoint_utils.load_checkpoint_to_cpu is wrapped


def test_errors_name_the_architecture(tmp_path, toy_data):
    from fairseq import checkpoint_utils

    from ..checkpoints.test_inspection import save
    from ..tasks.running import make_task

    path = tmp_path / "other.pt"
    save(path, arch="no_such_arch")
    with pytest.raises(RuntimeError, match=r"other\.pt \(task None, arch no_such_arch\)"):
        checkpoint_utils.load_model_ensemble([str(path)], task=make_task(toy_data))
