"""The smoke profile's grid, as a mapping to change and as objects."""

import copy
from pathlib import Path

import yaml

from scripts.experiments.grid.config import read_grid
from scripts.experiments.grid.plan import Plan
from scripts.experiments.pairs.commands import PairCommands

from ..helpers import REPO

PROFILES = REPO / "scripts/experiments/profiles"


def grid_of(profile):
    """The mapping in a profile's ``grid.yaml``."""
    return yaml.safe_load((PROFILES / profile / "grid.yaml").read_text("utf-8"))


def changed(mapping, path, value):
    """A copy of ``mapping`` with ``value`` at ``path`` (keys joined by /); None deletes."""
    mapping = copy.deepcopy(mapping)
    *folders, last = path.split("/")
    inner = mapping
    for key in folders:
        inner = inner[key]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return mapping


def build(mapping):
    """Plan and PairCommands of a mapping."""
    plan = Plan(read_grid(mapping))
    return plan, PairCommands(plan)


def write(path, text):
    """Write a file and its folders; returns the path."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def after(command, flag):
    """The words between a flag and the next flag."""
    words = list(map(str, command))
    rest = words[words.index(flag) + 1 :]
    end = next((i for i, word in enumerate(rest) if word.startswith("--")), len(rest))
    return rest[:end]
