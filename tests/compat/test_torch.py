import argparse
import sys

import pytest
import torch

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
