"""What a profile's ``grid.yaml`` may say, whatever kinds of experiment it has."""

import shlex
from dataclasses import dataclass, field
from typing import Dict


def required():
    # Fields without a default could not follow those with one in a subclass.
    return field(default=None, metadata={"required": True})


@dataclass(frozen=True)
class System:
    """``unit`` it reads and writes; ``flags`` of fairseq-train that make its model;
    ``word_list``: it needs one of frequent words, ``dict.word.LANG.txt``."""

    unit: str = required()
    flags: str = ""
    word_list: bool = False


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
class Grid:
    """A profile. README.md says what each key is for; ``experiments``: name -> an
    Experiment of its kind; ``label_systems``: name -> flags of a model that labels."""

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
    label_systems: Dict[str, str] = field(default_factory=dict)

    def flags_of(self, system):
        """Model flags of a system, as a list."""
        return shlex.split(self.systems[system].flags) + shlex.split(
            self.system_flags.get(system, "")
        )
