"""A model of a high-resource language, tested on a related one."""

from dataclasses import dataclass
from typing import ClassVar, Dict

from ..grid.building import known
from ..grid.schema import required
from ..pairs.plan import Pairs, TestSet
from .translation import FromScratch


@dataclass
class ZeroShot(FromScratch):
    """``pairs``: high-resource language -> related language."""

    dataset: str = required()
    pairs: Dict[str, str] = required()

    title: ClassVar = "Zero-shot transfer to a related language"

    def check(self, grid):
        super().check(grid)
        known("dataset", self.dataset, grid.datasets, self.where)
        if not self.pairs:
            raise ValueError(f"{self.where}: pairs is empty")
        self.check_list("pairs", self._languages(), self.target)

    def _languages(self):
        return [*self.pairs, *self.pairs.values()]

    def data_of(self, language):
        """Name of the data directory of a language."""
        return f"{self.name}.{language}"

    def add_to(self, plan):
        datasets = {self.dataset: 0, **dict.fromkeys(self.tests)}
        kept_out = [(dataset, lang) for dataset in datasets for lang in self._languages()]
        for language in self._languages():
            data = self.data_of(language)
            self.add_pair(plan, data, self.dataset, language)
            plan.part(Pairs).exclude(data, kept_out)
        for high, low in self.pairs.items():
            data, tests = self.data_of(high), []
            for language, averaged in ((low, True), (high, False)):
                own = TestSet(language, self.data_of(language), language, self.dataset)
                tests += self.test_sets(plan, language, own, self.target, averaged)
            self.add_setting(
                *(plan, high),
                **{"data": data, "vocabulary": data, "sources": (high,)},
                **{"target": self.target, "tests": tuple(tests)},
            )
