"""What a grid comes to: data directories, trainings, test sets, and where they are.

A *setting* is training data with the test sets its models meet; a *run* is a system
trained in a setting with a seed.
"""

from dataclasses import dataclass
from typing import Optional, Tuple

from .config import known


@dataclass(frozen=True)
class TestSet:
    """``name`` is a column of the table; ``averaged``: it counts in the average."""

    name: str
    data: str
    source: str
    dataset: str
    averaged: bool = True


@dataclass(frozen=True)
class Setting:
    """``data``, ``vocabulary``: names of data directories; ``start``: the zero-shot
    setting whose models are fine-tuned."""

    experiment: str
    name: str
    data: str
    vocabulary: str
    sources: Tuple[str, ...]
    target: str
    tests: Tuple[TestSet, ...]
    updates: int
    save_every: int
    flags: str = ""
    start: Optional[str] = None
    temperature: Optional[float] = None


@dataclass(frozen=True)
class PrepareJob:
    """A pair of a data directory; ``exclude``: (dataset, source) of the test sets
    whose sentences may not be in it."""

    data: str
    dataset: str
    source: str
    target: str
    splits: Tuple[str, ...] = ("train", "valid", "test")
    exclude: Tuple[Tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Run:
    setting: Setting
    system: str
    seed: int

    @property
    def path(self):
        """Its folder, below the work directory."""
        return (
            f"{self.setting.experiment}/{self.setting.name}/{self.system}/seed{self.seed}"
        )


class Plan:
    """All settings, runs and data directories of a grid.

    Attributes:
        settings: (experiment, name) -> Setting
        jobs: (data directory, source language) -> PrepareJob
        samples: few-shot data directory -> (the one sampled from, source language)
    """

    def __init__(self, grid):
        self.grid, self.settings, self.jobs, self.samples = grid, {}, {}, {}
        builders = {
            "many_to_one": self._many_to_one,
            "transfer_zero_shot": self._zero_shot,
            "transfer_few_shot": self._few_shot,
            "cross_domain": self._cross_domain,
        }
        for name, build in builders.items():
            if name in grid.experiments:
                build(grid.experiments[name])

    def _many_to_one(self, spec):
        data, name = "many_to_one", "many_to_one"
        exclude = tuple((spec.dataset, source) for source in spec.sources)
        for source in spec.sources:
            self._add_job(
                PrepareJob(data, spec.dataset, source, spec.target, exclude=exclude)
            )
        tests = tuple(TestSet(s, data, s, spec.dataset) for s in spec.sources)
        self._add(
            spec, name, "all", data, data, tuple(spec.sources), tests,
            temperature=spec.sampling_temperature,
        )  # fmt: skip

    def _zero_shot(self, spec):
        languages = [*spec.pairs, *spec.pairs.values()]
        exclude = tuple((spec.dataset, language) for language in languages)
        for language in languages:
            data = f"transfer.{language}"
            self._add_job(
                PrepareJob(data, spec.dataset, language, spec.target, exclude=exclude)
            )
        for high, low in spec.pairs.items():
            data = f"transfer.{high}"
            tests = (
                TestSet(low, f"transfer.{low}", low, spec.dataset),
                TestSet(high, data, high, spec.dataset, averaged=False),
            )
            self._add(spec, "transfer_zero_shot", high, data, data, (high,), tests)

    def _few_shot(self, spec):
        zero = self.grid.experiments["transfer_zero_shot"]
        for high, low in zero.pairs.items():
            tests = (TestSet(low, f"transfer.{low}", low, zero.dataset),)
            for size in spec.sizes:
                data = f"few.{low}/{size}"
                self.samples[data] = f"transfer.{low}", low
                self._add(
                    spec, "transfer_few_shot", f"{low}-{size}", data, f"transfer.{high}",
                    (low,), tests, target=zero.target, start=high,
                )  # fmt: skip

    def _cross_domain(self, spec):
        exclude = tuple((dataset, spec.source) for dataset in [spec.train, *spec.tests])
        train = f"cross_domain.{spec.train}"
        self._add_job(
            PrepareJob(train, spec.train, spec.source, spec.target, exclude=exclude)
        )
        tests = []
        for dataset in spec.tests:
            data = f"cross_domain.{dataset}"
            self._add_job(PrepareJob(data, dataset, spec.source, spec.target, ("test",)))
            tests.append(TestSet(dataset, data, spec.source, dataset))
        tests.append(TestSet(spec.train, train, spec.source, spec.train, averaged=False))
        name = "cross_domain"
        self._add(spec, name, spec.train, train, train, (spec.source,), tuple(tests))

    def _add_job(self, job):
        self.jobs[job.data, job.source] = job

    def _add(self, spec, experiment, name, data, vocabulary, sources, tests, **more):
        more.setdefault("target", getattr(spec, "target", None))
        self.settings[experiment, name] = Setting(
            experiment, name, data, vocabulary, sources, tests=tests, updates=spec.updates,
            save_every=spec.save_every, flags=spec.flags, **more,
        )  # fmt: skip

    def settings_of(self, experiment):
        """Settings of an experiment, in order.

        Raises:
            ValueError: the profile does not have it.
        """
        known("experiment", experiment, self.grid.experiments, self.grid.profile)
        return [s for (name, _), s in self.settings.items() if name == experiment]

    def runs_of(self, setting, seed=None):
        """Runs of a setting, the baseline first; of one ``seed`` where that is given."""
        spec = self.grid.experiments[setting.experiment]
        others = [name for name in spec.systems if name != spec.baseline]
        return [
            Run(setting, system, each)
            for system in [spec.baseline, *others]
            for each in spec.systems[system]
            if seed in (None, each)
        ]

    def trained_on(self, data):
        """The setting whose training data is in a data directory."""
        return next(s for s in self.settings.values() if s.data == data)

    def user_of(self, data):
        """A setting that reads a data directory, and the source language there.

        Raises:
            ValueError: none does.
        """
        for setting in self.settings.values():
            if setting.data == data:
                return setting, setting.sources[0]
            for test in setting.tests:
                if test.data == data:
                    return setting, test.source
        raise ValueError(f"no setting reads the data directory {data}")

    def run_at(self, experiment, name, system, seed):
        """The run of these names (``seed`` may be a str)."""
        return Run(self.settings[experiment, name], system, int(seed))

    def seeds_of(self, experiment):
        """Seeds of an experiment, sorted."""
        return sorted(set().union(*self.grid.experiments[experiment].systems.values()))

    def pairs_in(self, data):
        """Jobs that fill a data directory."""
        return [job for (name, _), job in self.jobs.items() if name == data]
