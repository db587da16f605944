"""Read the configuration of the grid, and check it."""

import ast
import dataclasses
import shlex
from pathlib import Path

import yaml

from .schema import KINDS, CrossDomain, Dataset, Grid, System, Transfer

SYSTEMS_FILE = Path(__file__).parents[1] / "systems.yaml"
UNITS_FILE = Path(__file__).parents[3] / "fairseq_bytefusion/text/units.py"

_QUOTE = "YAML reads no, on, yes and numbers otherwise, so put it in quotes"
_NO_SCALAR = (dict, list, type(None))


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
    if "systems" in config:
        raise ValueError(f"systems: belong into {SYSTEMS_FILE}, which all profiles share")
    systems = yaml.safe_load(SYSTEMS_FILE.read_text("utf-8"))
    config["systems"] = {
        name: _build(System, keys, f"systems.yaml: {name}")
        for name, keys in systems.items()
    }
    for name, keys in _mapping(config, "datasets").items():
        config["datasets"] = {
            **config["datasets"],
            name: _build(Dataset, keys, f"datasets: {name}"),
        }
    experiments = {}
    for name, keys in _mapping(config, "experiments").items():
        known("experiment", name, KINDS, "experiments")
        experiments[name] = _build(KINDS[name], keys, f"experiments: {name}")
    config["experiments"] = experiments
    grid = _build(Grid, config, "grid")
    _check(grid)
    return grid


def _mapping(config, key):
    value = config.get(key)
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{key}: must be a mapping of names; it is {value!r}")
    return value


def known(what, name, valid, where):
    """Raise ValueError, listing what is ``valid``, where it lacks ``name``."""
    if name not in valid:
        choices = ", ".join(map(str, valid))
        raise ValueError(f"{where}: there is no {what} {name!r}; choose from {choices}")


def unit_names():
    """list of str: the keys of ``UNITS``, from its source text.

    Snakemake reads the grid anew for every job, and importing the package takes seconds.
    """
    for node in ast.parse(UNITS_FILE.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "UNITS":
            return [key.value for key in node.value.keys]
    raise LookupError(f"{UNITS_FILE} defines no UNITS")


def _build(kind, keys, where):
    """An instance of a dataclass from a mapping; its keys are checked by name and type."""
    if not isinstance(keys, dict):
        raise ValueError(f"{where}: must be a mapping of keys; it is {keys!r}")
    fields = {f.name: f for f in dataclasses.fields(kind)}
    for key, value in keys.items():
        known("key", key, fields, where)
        wanted = getattr(fields[key].type, "__origin__", fields[key].type)
        wanted = (int, float) if wanted is float else wanted
        is_bool = isinstance(value, bool) and wanted is not bool
        if wanted is not object and (not isinstance(value, wanted) or is_bool):
            name = getattr(wanted, "__name__", "number")
            is_misread = wanted is str and not isinstance(value, _NO_SCALAR)
            hint = f": {_QUOTE}" if is_misread else ""
            raise ValueError(
                f"{where}: {key} must be of type {name}; it is {value!r}{hint}"
            )
        _check_elements(value, fields[key].type, f"{where}: {key}")
    for name, f in fields.items():
        if f.metadata.get("required") and name not in keys:
            raise ValueError(f"{where}: the key {name} is missing")
    return kind(**keys)


def _check_elements(value, wanted, where):
    """Refuse in a list or mapping what is no text or no number, such as YAML's ``no``."""
    types = getattr(wanted, "__args__", ())
    columns = zip(*value.items()) if isinstance(value, dict) else [value]
    for kind, column in zip(types, columns):
        for element in column:
            if kind is str and not isinstance(element, str):
                raise ValueError(f"{where}: {element!r} is no text: {_QUOTE}")
            if kind is int:
                _check_whole(element, where)


def _check_whole(element, where):
    if isinstance(element, bool) or not isinstance(element, int):
        raise ValueError(
            f"{where}: {element!r} is no whole number: YAML reads no, on and yes as "
            "booleans and what is in quotes as text"
        )


def _check(grid):
    _check_at_least_one(grid, "grid", "max_tokens", "average", "threads", "bootstrap")
    _check_flags(grid)
    for system in grid.system_flags:
        known("system", system, grid.systems, "system_flags")
    for system, spec in grid.systems.items():
        known("unit", spec.unit, unit_names(), f"systems.yaml: {system}")
    for name, experiment in grid.experiments.items():
        where = f"experiments: {name}"
        known("system", experiment.baseline, experiment.systems, f"{where}: baseline")
        for system, seeds in experiment.systems.items():
            known("system", system, grid.systems, where)
            _check_seeds(system, seeds, experiment, where)
        for dataset in _datasets_of(experiment):
            known("dataset", dataset, grid.datasets, where)
        _check_languages(experiment, where)
        _check_numbers(grid, experiment, where)
    _check_few_shot(grid)


def _check_at_least_one(spec, where, *keys):
    for key in keys:
        if getattr(spec, key) < 1:
            raise ValueError(f"{where}: {key} must be at least 1, not {getattr(spec, key)}")


def _check_flags(grid):
    """Refuse a quote that is not closed where it stands."""
    texts = {
        key: getattr(grid, key) for key in ("train_flags", "generate_flags", "launcher")
    }
    texts.update(
        (f"system_flags: {name}", text) for name, text in grid.system_flags.items()
    )
    for name, experiment in grid.experiments.items():
        texts[f"experiments: {name}: flags"] = experiment.flags
    for where, text in texts.items():
        _check_quotes(where, text)


def _check_quotes(where, text):
    try:
        shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{where}: {error} in {text!r}") from None


def _check_languages(experiment, where):
    """Refuse lists that are empty or name something twice, or the target as a source."""
    lists = {
        key: getattr(experiment, key)
        for key in ("sources", "tests", "sizes")
        if hasattr(experiment, key)
    }
    if isinstance(experiment, Transfer):
        lists["pairs"] = [*experiment.pairs, *experiment.pairs.values()]
    if isinstance(experiment, CrossDomain):
        lists["train and tests"] = [experiment.train, *experiment.tests]
    for key, values in lists.items():
        if not values:
            raise ValueError(f"{where}: {key} is empty")
        for value in values:
            if values.count(value) > 1:
                raise ValueError(f"{where}: {key} may name {value} once only")
            if value == getattr(experiment, "target", None):
                raise ValueError(f"{where}: {value} is the target, no source")


def _datasets_of(experiment):
    if isinstance(experiment, CrossDomain):
        return [experiment.train, *experiment.tests]
    return [experiment.dataset] if hasattr(experiment, "dataset") else []


def _check_seeds(system, seeds, experiment, where):
    if not isinstance(seeds, list) or not seeds:
        raise ValueError(f"{where}: {system} needs a list of seeds, such as [1, 2]")
    for seed in seeds:
        _check_whole(seed, f"{where}: {system}")
    missing = set(seeds) - set(experiment.systems.get(experiment.baseline) or [])
    if missing:
        raise ValueError(
            f"{where}: {system} is compared with the baseline {experiment.baseline} of the "
            f"same seed, which has no seed {min(missing)}: add it to that system"
        )


def _check_numbers(grid, experiment, where):
    _check_at_least_one(experiment, where, "updates", "save_every")
    temperature = getattr(experiment, "sampling_temperature", 1)
    if not temperature > 0:
        raise ValueError(
            f"{where}: sampling_temperature must be above 0, not {temperature}"
        )
    if experiment.updates % experiment.save_every:
        raise ValueError(
            f"{where}: updates {experiment.updates} must be a multiple of save_every "
            f"{experiment.save_every}, so that the last checkpoint is one of those averaged"
        )
    if experiment.updates // experiment.save_every < grid.average:
        raise ValueError(
            f"{where}: {experiment.updates} updates, saved every {experiment.save_every}, "
            f"give fewer than the {grid.average} checkpoints to average: lower save_every"
        )


def _check_few_shot(grid):
    few = grid.experiments.get("transfer_few_shot")
    if few is None:
        return
    zero = grid.experiments.get("transfer_zero_shot")
    if zero is None:
        raise ValueError(
            "experiments: transfer_few_shot fine-tunes the models of transfer_zero_shot: "
            "add that experiment"
        )
    for system, seeds in few.systems.items():
        missing = sorted(set(seeds) - set(zero.systems.get(system, [])))
        if missing:
            raise ValueError(
                f"experiments: transfer_few_shot: {system} seed {missing[0]} has no model "
                "in transfer_zero_shot: add it there"
            )
