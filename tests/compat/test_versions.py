import sys

import pytest

from fairseq_bytefusion.compat import versions

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
    problem = versions.version_problem(python, fairseq, fixed, torch_version, numpy)
    if expected is None:
        assert problem is None
    else:
        with pytest.raises(ImportError, match=expected):
            raise ImportError(problem)
        assert "\n" not in problem


def test_what_is_installed_here_works():
    versions.check_versions()
    assert versions.version_of("no such distribution") is None
    assert versions.version_of("torch")[0] == 2


def test_a_wrong_version_is_one_sentence_at_import():
    code = (
        "import importlib.metadata as m; real = m.version\n"
        "m.version = lambda name: '1.13.1+cpu' if name == 'torch' else real(name)\n"
        "import fairseq_bytefusion"
    )
    result = run(sys.executable, "-c", code, check=False, cwd=REPO)
    last = result.stderr.decode().strip().split("\n")[-1]
    assert last.startswith("ImportError: torch 2.0 or newer is needed (1.13.1)")
