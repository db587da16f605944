"""The configuration of the grid: what a profile's ``grid.yaml`` may say, checked."""

import dataclasses
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List

import yaml

SYSTEMS_FILE = Path(__file__).parents[1] / "systems.yaml"
UNITS = ("byte", "char", "sentencepiece")


def _required():
    # Fields without a default could not follow those with one in a subclass.
    return field(default=None, metadata={"required": True})


@dataclass(frozen=True)
class System:
    """``unit`` it reads and writes; ``flags`` of fairseq-train that make its model."""

    unit: str = _required()
    flags: str = ""


@dataclass(frozen=True)
class Dataset:
    """A folder of ``data_root`` that ``prepare.py --folder`` reads.

    ``codes``: language -> how its file names write it. ``quote_examples``: whether its
    licence lets a committed report quote sentences. ``cut_to_shorter``: a language may
    have the first lines only of what others have.
    """

    folder: str = _required()
    licence: str = _required()
    quote_examples: bool = _required()
    codes: Dict[str, str] = field(default_factory=dict)
    cut_to_shorter: bool = False


@dataclass(frozen=True)
class Experiment:
    """What all experiments say: ``systems`` maps a system to its seeds; ``flags`` come
    after the profile's own."""

    systems: Dict[str, List[int]] = _required()
    target: str = _required()
    updates: int = _required()
    save_every: int = _required()
    baseline: str = "byte_dense"
    source_subwords: int = 64000
    target_subwords: int = 8000
    flags: str = ""


@dataclass(frozen=True)
class ManyToOne(Experiment):
    dataset: str = _required()
    sources: List[str] = _required()
    sampling_temperature: float = 5.0


@dataclass(frozen=True)
class Transfer(Experiment):
    """``pairs``: high-resource language -> related language."""

    dataset: str = _required()
    pairs: Dict[str, str] = _required()


@dataclass(frozen=True)
class FewShot:
    """Fine-tuning of the zero-shot experiment's models on ``sizes`` pairs."""

    systems: Dict[str, List[int]] = _required()
    sizes: List[int] = _required()
    updates: int = _required()
    save_every: int = _required()
    baseline: str = "byte_dense"
    flags: str = ""


@dataclass(frozen=True)
class CrossDomain(Experiment):
    """``train``: the dataset trained on; ``tests``: those tested on."""

    source: str = _required()
    train: str = _required()
    tests: List[str] = _required()


KINDS = {
    "many_to_one": ManyToOne,
    "transfer_zero_shot": Transfer,
    "transfer_few_shot": FewShot,
    "cross_domain": CrossDomain,
}


@dataclass(frozen=True)
class Grid:
    """A profile. README.md says what each key is for."""

    profile: str = _required()
    data_root: str = _required()
    work: str = _required()
    results: str = _required()
    train_flags: str = _required()
    generate_flags: str = _required()
    max_tokens: int = _required()
    datasets: Dict[str, Dataset] = _required()
    experiments: Dict[str, object] = _required()
    average: int = 3
    bootstrap: int = 1000
    moses: bool = False
    launcher: str = "fairseq-train"
    threads: int = 1
    resources: Dict[str, object] = field(default_factory=dict)
    system_flags: Dict[str, str] = field(default_factory=dict)
    sample_pairs: int = 0
    systems: Dict[str, System] = field(default_factory=dict)

    def flags_of(self, system):
        """Model flags of a system, as a list."""
        return shlex.split(self.systems[system].flags) + shlex.split(
            self.system_flags.get(system, "")
        )


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
            raise ValueError(f"{where}: {key} must be of type {name}; it is {value!r}")
    for name, f in fields.items():
        if f.metadata.get("required") and name not in keys:
            raise ValueError(f"{where}: the key {name} is missing")
    return kind(**keys)


def _check(grid):
    for system in grid.system_flags:
        known("system", system, grid.systems, "system_flags")
    for system, spec in grid.systems.items():
        known("unit", spec.unit, UNITS, f"systems.yaml: {system}")
    for name, experiment in grid.experiments.items():
        where = f"experiments: {name}"
        for system, seeds in experiment.systems.items():
            known("system", system, grid.systems, where)
            _check_seeds(system, seeds, experiment, where)
        for dataset in _datasets_of(experiment):
            known("dataset", dataset, grid.datasets, where)
        _check_numbers(grid, experiment, where)
    _check_few_shot(grid)


def _datasets_of(experiment):
    if isinstance(experiment, CrossDomain):
        return [experiment.train, *experiment.tests]
    return [experiment.dataset] if hasattr(experiment, "dataset") else []


def _check_seeds(system, seeds, experiment, where):
    if not isinstance(seeds, list) or not seeds:
        raise ValueError(f"{where}: {system} needs a list of seeds, such as [1, 2]")
    missing = set(seeds) - set(experiment.systems.get(experiment.baseline) or [])
    if missing:
        raise ValueError(
            f"{where}: {system} is compared with the baseline {experiment.baseline} of the "
            f"same seed, which has no seed {min(missing)}: add it to that system"
        )


def _check_numbers(grid, experiment, where):
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
