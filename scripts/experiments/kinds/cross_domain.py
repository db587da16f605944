"""A model of one domain, tested in others."""

from dataclasses import dataclass, replace
from typing import ClassVar

from ..grid.building import known
from ..pairs.plan import Pairs, PrepareJob, TestSet
from .translation import FromScratch

# What `models` says.
_OF_TRAINING = (
    *("updates", "save_every", "patience", "train_flags", "flags"),
    *("source", "target", "train", "max_bytes"),
    *("source_subwords", "target_subwords", "word_min_count"),
)


@dataclass
class CrossDomain(FromScratch):
    """``train``: the dataset trained on; ``tests``: those tested on.

    With ``models``, nothing is trained: those of a setting of another experiment,
    ``transfer_zero_shot/ru``, are tested, and all that is said of training is said there.
    """

    updates: int = 0
    save_every: int = 0
    target: str = ""
    source: str = ""
    train: str = ""
    models: str = ""

    title: ClassVar = "Trained in one domain, tested in others"

    def uses(self):
        return [self.models.split("/")[0]] if self.models else []

    def check(self, grid):
        super().check(grid)
        if not self.tests:
            raise ValueError(f"{self.where}: tests is empty")
        if self.models:
            self._check_models(grid)
            return
        for key in ("source", "target", "train"):
            if not getattr(self, key):
                raise ValueError(f"{self.where}: the key {key} is missing")
        known("dataset", self.train, grid.datasets, self.where)
        self.check_list("train and tests", [self.train, *self.tests])

    def check_schedule(self, grid):
        if not self.models:
            super().check_schedule(grid)

    def _check_models(self, grid):
        self.check_trained_in(grid, "models", self.models)
        for key in _OF_TRAINING:
            if getattr(self, key) != getattr(type(self), key):
                raise ValueError(f"{self.where}: {key} is that of models: leave it out")

    def add_to(self, plan):
        if self.models:
            self._reuse(plan)
            return
        data = f"{self.name}.{self.train}"
        self.add_pair(plan, data, self.train, self.source)
        own = TestSet(self.train, data, self.source, self.train, averaged=False)
        plan.part(Pairs).exclude(data, [(self.train, self.source)])
        self.add_setting(
            *(plan, self.train),
            **{"data": data, "vocabulary": data, "sources": (self.source,)},
            **{"target": self.target},
            tests=(*self._domains(plan, data, self.source, self.target), own),
        )

    def _domains(self, plan, trained_on, source, target):
        """The test sets of ``tests``, which are kept out of the directory trained on."""
        found, pairs = [], plan.part(Pairs)
        pairs.exclude(trained_on, [(dataset, source) for dataset in self.tests])
        for dataset in self.tests:
            data = f"{self.name}.{dataset}"
            pairs.add(PrepareJob(data, dataset, source, target, ("test",)))
            found.append(TestSet(dataset, data, source, dataset))
        return found

    def _reuse(self, plan):
        first = self.setting_at(plan, "models", self.models)
        seen = [
            replace(test, name=test.dataset, averaged=False)
            for test in first.tests
            if test.data == first.data
        ]
        (source,) = first.sources
        self.check_list("models and tests", [t.dataset for t in seen] + self.tests)
        self.updates, self.save_every = first.updates, first.save_every
        domains = self._domains(plan, first.data, source, first.target)
        self.add_setting(
            *(plan, first.name),
            **{"data": first.data, "vocabulary": first.vocabulary},
            **{"sources": first.sources, "target": first.target},
            **{"tests": (*domains, *seen), "models": (first.experiment, first.name)},
        )
