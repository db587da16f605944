"""Read the configuration of the grid, and check what no kind of experiment decides."""

import ast
from pathlib import Path

import yaml

from ..kinds import KINDS
from .building import build, check_at_least_one, check_quotes, known, mapping
from .schema import Dataset, Grid, System

SYSTEMS_FILE = Path(__file__).parents[1] / "systems.yaml"
LABEL_SYSTEMS_FILE = SYSTEMS_FILE.with_name("label_systems.yaml")
UNITS_FILE = Path(__file__).parents[3] / "fairseq_bytefusion/text/units.py"


def read_grid(config):
    """The grid that a mapping (a ``grid.yaml``) describes.

    Args:
        config (dict)

    Returns:
        Grid

    Raises:
        ValueError: one sentence that names the key and lists what is valid.
    """
    config = dict(config)
    for key, file in (("systems", SYSTEMS_FILE), ("label_systems", LABEL_SYSTEMS_FILE)):
        if key in config:
            raise ValueError(f"{key}: belong into {file}, which all profiles share")
    systems = yaml.safe_load(SYSTEMS_FILE.read_text("utf-8"))
    config["systems"] = {
        name: build(System, keys, f"systems.yaml: {name}") for name, keys in systems.items()
    }
    config["label_systems"] = yaml.safe_load(LABEL_SYSTEMS_FILE.read_text("utf-8"))
    config["datasets"] = {
        name: build(Dataset, keys, f"datasets: {name}")
        for name, keys in mapping(config, "datasets").items()
    }
    config["experiments"] = {
        name: _experiment(name, keys)
        for name, keys in mapping(config, "experiments").items()
    }
    grid = build(Grid, config, "grid")
    _check(grid)
    return grid


def _experiment(name, keys):
    """An Experiment of the kind that ``kind`` says, or else its name."""
    where = f"experiments: {name}"
    if not isinstance(keys, dict):
        raise ValueError(f"{where}: must be a mapping of keys; it is {keys!r}")
    keys = dict(keys)
    kind = keys.pop("kind", name)
    known("kind", kind, KINDS, where)
    experiment = build(KINDS[kind], keys, where)
    experiment.name = name
    return experiment


def unit_names():
    """list of str: the keys of ``UNITS``, from its source text.

    Snakemake reads the grid anew for every job, and importing the package takes seconds.
    """
    for node in ast.parse(UNITS_FILE.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "UNITS":
            return [key.value for key in node.value.keys]
    raise LookupError(f"{UNITS_FILE} defines no UNITS")


def _check(grid):
    check_at_least_one(grid, "grid", "max_tokens", "average", "threads", "bootstrap")
    _check_flags(grid)
    for system in grid.system_flags:
        known("system", system, grid.systems, "system_flags")
    for system, spec in grid.systems.items():
        known("unit", spec.unit, unit_names(), f"systems.yaml: {system}")
    for experiment in grid.experiments.values():
        experiment.check(grid)
        experiment.check_checkpoints(grid)


def _check_flags(grid):
    """Refuse a quote that is not closed where it stands."""
    texts = {
        key: getattr(grid, key) for key in ("train_flags", "generate_flags", "launcher")
    }
    for key in ("system_flags", "label_systems"):
        flags = getattr(grid, key)
        texts.update((f"{key}: {name}", text) for name, text in flags.items())
    for name, experiment in grid.experiments.items():
        for key in ("train_flags", "flags"):
            texts[f"experiments: {name}: {key}"] = getattr(experiment, key)
    for where, text in texts.items():
        check_quotes(where, text)
