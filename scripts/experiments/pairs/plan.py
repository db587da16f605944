"""The data of translation: directories of pairs, and the test sets they hold."""

from dataclasses import dataclass, replace
from typing import Optional, Tuple

from ..grid.plan import Setting


@dataclass(frozen=True)
class TestSet:
    """``name`` is a column of the table; ``averaged``: it counts in the average."""

    name: str
    data: str
    source: str
    dataset: str
    averaged: bool = True


@dataclass(frozen=True)
class Column:
    """A test set of a setting, in a table. ``size``: training pairs of the tested language
    where the experiment is about them."""

    setting: str
    test: str
    label: str
    averaged: bool
    size: Optional[int] = None


@dataclass(frozen=True)
class TranslationSetting(Setting):
    """``data``, ``vocabulary``: names of data directories."""

    vocabulary: str = ""
    sources: Tuple[str, ...] = ()
    target: str = ""
    tests: Tuple[TestSet, ...] = ()
    temperature: Optional[float] = None


@dataclass(frozen=True)
class PrepareJob:
    """A pair of a data directory.

    ``exclude``: (dataset, source) of the test sets whose sentences may not be in it;
    ``max_bytes``: of a side in training, prepare.py's own where it is 0; ``misspelt``: the
    share of the words of a test set's sources that are misspelt.
    """

    data: str
    dataset: str
    source: str
    target: str
    splits: Tuple[str, ...] = ("train", "valid", "test")
    exclude: Tuple[Tuple[str, str], ...] = ()
    max_bytes: int = 0
    misspelt: float = 0.0


@dataclass(frozen=True)
class Sample:
    """Few-shot samples ``folder/SIZE`` of a pair of a data directory."""

    folder: str
    data: str
    source: str
    target: str
    sizes: Tuple[int, ...]


class Pairs:
    """The data directories of all translation experiments of a plan.

    Attributes:
        settings: list of TranslationSetting
        jobs: (data directory, source language) -> PrepareJob
        samples: few-shot data directory -> Sample
    """

    def __init__(self):
        self.settings, self.jobs, self.samples = [], {}, {}

    def add(self, job):
        """Add a PrepareJob."""
        self.jobs[job.data, job.source] = job

    def sample(self, sample):
        """Add a Sample."""
        self.samples.update((f"{sample.folder}/{size}", sample) for size in sample.sizes)

    def sample_in(self, folder):
        """The Sample of a folder."""
        return next(s for s in self.samples.values() if s.folder == folder)

    def exclude(self, data, tests):
        """Keep the sentences of test sets, (dataset, source), out of a directory.

        Of a few-shot sample, it is the directory that it is drawn from.
        """
        data = self.samples[data].data if data in self.samples else data
        for job in self.pairs_in(data):
            exclude = tuple(dict.fromkeys([*job.exclude, *tests]))
            self.add(replace(job, exclude=exclude))

    def pairs_in(self, data):
        """Jobs that fill a data directory."""
        return [job for (name, _), job in self.jobs.items() if name == data]

    def trained_on(self, data):
        """The setting whose training data is in a data directory."""
        return next(s for s in self.settings if s.data == data)

    def user_of(self, data):
        """A setting that reads a data directory, and the source language there.

        Raises:
            ValueError: none does.
        """
        for setting in self.settings:
            if setting.data == data:
                return setting, setting.sources[0]
            for test in setting.tests:
                if test.data == data:
                    return setting, test.source
        raise ValueError(f"no setting reads the data directory {data}")
