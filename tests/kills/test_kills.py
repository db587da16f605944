"""What is killed and done again is what it is when nobody interferes.

Each work is killed ``KILLS`` times, at moments drawn from a seed: twice in ``make test``,
twenty times in ``make kill-tests``.
"""

import importlib.util
import shutil

import pytest
import torch

from ..checkpoints.test_inspection import save
from . import works
from .harness import KILLS, finish, kill, moments

pytestmark = pytest.mark.long


def content(folder):
    """Name -> bytes of the files in and below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def check(work, folder, result=content, has_imports=True):
    """Kill ``work`` ``KILLS`` times, each time from the start; its result is the same."""
    if has_imports:  # which are there when the others start
        finish(work, folder / "first")
    seconds = finish(work, folder / "whole")
    expected = result(folder / "whole")
    assert expected
    for number, moment in enumerate(moments(work.__name__, seconds)):
        killed = folder / f"killed{number}"
        kill(work, (killed,), moment)
        finish(work, killed)
        assert result(killed) == expected, f"killed after {moment:.3f} of {seconds:.3f} s"
        shutil.rmtree(killed)


def plain(value):
    """What can be compared with ``==``: no tensor within."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value.tolist() if isinstance(value, torch.Tensor) else value


def learned(folder):
    """Names of the checkpoints; weights, optimizer and place of each, but no times."""
    found = {}
    for path in sorted(folder.iterdir()):
        state = torch.load(path)
        parts = [state[key] for key in ("model", "last_optimizer_state", "task_state")]
        found[path.name] = plain([*parts, state["extra_state"]["train_iterator"]])
    # fairseq saves a buffer that it never initialises.
    for parameters, *_ in found.values():
        for name in [name for name in parameters if name.endswith("_float_tensor")]:
            del parameters[name]
    return found


def test_training(toy_data, tmp_path):
    shutil.copytree(toy_data, tmp_path / "data")
    check(works.train, tmp_path, learned)


def test_prepare(tmp_path):
    for lang in ("xx", "en"):
        lines = [f"{lang} sentence number {i % 2900}\n" for i in range(3000)]
        (tmp_path / f"in.{lang}").write_text("".join(lines))
    check(works.prepare, tmp_path)


def test_line_index(tmp_path):
    (tmp_path / "text").write_bytes(b"".join(b"%d\n" % i for i in range(works.NUM_LINES)))

    def lines(folder):
        # What is before them says which file it is, and when it was linked.
        return content(folder)["text.lines.npy"][-12 * works.NUM_LINES :]

    check(works.index, tmp_path, lines)


def test_average(tmp_path):
    for name in "ab":
        save(tmp_path / f"{name}.pt")
    check(works.average, tmp_path)


@pytest.mark.skipif(
    importlib.util.find_spec("snakemake") is None, reason="Snakemake 8 needs Python 3.11"
)
def test_smoke_grid(tmp_path):
    def data(folder):
        found = content(folder / works.GRID_FOLDER)
        # What was read lies in the folder too.
        return {name: raw.replace(folder.name.encode(), b"") for name, raw in found.items()}

    check(works.smoke_grid, tmp_path, data, has_imports=False)


def test_moments_are_those_of_the_name():
    assert moments("a", 2.0) == moments("a", 2.0) != moments("b", 2.0)
    assert len(moments("a", 2.0)) == KILLS
    assert all(0 <= moment <= 2 for moment in moments("a", 2.0))
