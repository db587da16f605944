"""Several languages into one, in one model."""

from dataclasses import dataclass
from typing import ClassVar, List

from ..grid.building import known
from ..grid.schema import required
from ..pairs.plan import Pairs, TestSet
from .translation import FromScratch


@dataclass
class ManyToOne(FromScratch):
    """A batch is drawn from ``sources`` in proportion to n^(1/sampling_temperature)."""

    dataset: str = required()
    sources: List[str] = required()
    sampling_temperature: float = 1.5

    title: ClassVar = "Many languages into one"

    def check(self, grid):
        super().check(grid)
        known("dataset", self.dataset, grid.datasets, self.where)
        if not self.sources:
            raise ValueError(f"{self.where}: sources is empty")
        self.check_list("sources", self.sources, self.target)
        if not self.sampling_temperature > 0:
            raise ValueError(
                f"{self.where}: sampling_temperature must be above 0, not "
                f"{self.sampling_temperature}"
            )

    def add_to(self, plan):
        data, tests = self.name, []
        for source in self.sources:
            self.add_pair(plan, data, self.dataset, source)
            own = TestSet(source, data, source, self.dataset)
            tests += self.test_sets(plan, source, own, self.target)
        kept_out = [(d, s) for d in {self.dataset: 0, **dict.fromkeys(self.tests)}
                    for s in self.sources]  # fmt: skip
        plan.part(Pairs).exclude(data, kept_out)
        self.add_setting(
            *(plan, "all"),
            **{"data": data, "vocabulary": data, "sources": tuple(self.sources)},
            **{"target": self.target, "tests": tuple(tests)},
            temperature=self.sampling_temperature,
        )
