"""A model of one domain, tested in others."""

from dataclasses import dataclass
from typing import ClassVar

from ..grid.building import known
from ..pairs.plan import Pairs, PrepareJob, TestSet
from .translation import FromScratch


@dataclass
class CrossDomain(FromScratch):
    """``train``: the dataset trained on; ``tests``: those tested on."""

    source: str = ""
    train: str = ""

    title: ClassVar = "Trained in one domain, tested in others"

    def check(self, grid):
        super().check(grid)
        for key in ("source", "train"):
            if not getattr(self, key):
                raise ValueError(f"{self.where}: the key {key} is missing")
        known("dataset", self.train, grid.datasets, self.where)
        if not self.tests:
            raise ValueError(f"{self.where}: tests is empty")
        self.check_list("train and tests", [self.train, *self.tests])

    def data_of(self, dataset):
        """Name of the data directory of a data set."""
        return f"{self.name}.{dataset}"

    def add_to(self, plan):
        pairs, data = plan.part(Pairs), self.data_of(self.train)
        self.add_pair(plan, data, self.train, self.source)
        pairs.exclude(data, [(d, self.source) for d in [self.train, *self.tests]])
        tests = []
        for dataset in self.tests:
            test = self.data_of(dataset)
            pairs.add(PrepareJob(test, dataset, self.source, self.target, ("test",)))
            tests.append(TestSet(dataset, test, self.source, dataset))
        tests.append(TestSet(self.train, data, self.source, self.train, averaged=False))
        self.add_setting(
            *(plan, self.train),
            **{"data": data, "vocabulary": data, "sources": (self.source,)},
            **{"target": self.target, "tests": tuple(tests)},
        )
