"""What a profile's ``grid.yaml`` may say."""

import shlex
from dataclasses import dataclass, field
from typing import Dict, List


def required():
    # Fields without a default could not follow those with one in a subclass.
    return field(default=None, metadata={"required": True})


@dataclass(frozen=True)
class System:
    """``unit`` it reads and writes; ``flags`` of fairseq-train that make its model."""

    unit: str = required()
    flags: str = ""


@dataclass(frozen=True)
class Dataset:
    """A folder of ``data_root`` that ``prepare.py --folder`` reads.

    ``codes``: language -> how its file names write it. ``quote_examples``: whether its
    licence lets a committed report quote sentences. ``cut_to_shorter``: a language may
    have the first lines only of what others have.
    """

    folder: str = required()
    licence: str = required()
    quote_examples: bool = required()
    codes: Dict[str, str] = field(default_factory=dict)
    cut_to_shorter: bool = False


@dataclass(frozen=True)
class Experiment:
    """What all experiments say: ``systems`` maps a system to its seeds; ``flags`` come
    after the profile's own."""

    systems: Dict[str, List[int]] = required()
    target: str = required()
    updates: int = required()
    save_every: int = required()
    baseline: str = "byte_dense"
    source_subwords: int = 64000
    target_subwords: int = 8000
    flags: str = ""


@dataclass(frozen=True)
class ManyToOne(Experiment):
    dataset: str = required()
    sources: List[str] = required()
    sampling_temperature: float = 5.0


@dataclass(frozen=True)
class Transfer(Experiment):
    """``pairs``: high-resource language -> related language."""

    dataset: str = required()
    pairs: Dict[str, str] = required()


@dataclass(frozen=True)
class FewShot:
    """Fine-tuning of the zero-shot experiment's models on ``sizes`` pairs."""

    systems: Dict[str, List[int]] = required()
    sizes: List[int] = required()
    updates: int = required()
    save_every: int = required()
    baseline: str = "byte_dense"
    flags: str = ""


@dataclass(frozen=True)
class CrossDomain(Experiment):
    """``train``: the dataset trained on; ``tests``: those tested on."""

    source: str = required()
    train: str = required()
    tests: List[str] = required()


KINDS = {
    "many_to_one": ManyToOne,
    "transfer_zero_shot": Transfer,
    "transfer_few_shot": FewShot,
    "cross_domain": CrossDomain,
}


@dataclass(frozen=True)
class Grid:
    """A profile. README.md says what each key is for."""

    profile: str = required()
    data_root: str = required()
    work: str = required()
    results: str = required()
    train_flags: str = required()
    generate_flags: str = required()
    max_tokens: int = required()
    datasets: Dict[str, Dataset] = required()
    experiments: Dict[str, object] = required()
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
