"""Models of a zero-shot experiment, fine-tuned on few pairs of the related language."""

from dataclasses import dataclass, replace
from typing import ClassVar, List

from ..grid.schema import required
from ..pairs.plan import Column, Pairs, Sample
from .translation import Comparison
from .zero_shot import ZeroShot


@dataclass
class FewShot(Comparison):
    """``start``: the zero-shot experiment; ``sizes``: numbers of pairs."""

    start: str = required()
    sizes: List[int] = required()

    title: ClassVar = "Few-shot transfer to a related language"

    def uses(self):
        return [self.start]

    def check(self, grid):
        super().check(grid)
        first = grid.experiments.get(self.start)
        if not isinstance(first, ZeroShot):
            raise ValueError(
                f"{self.where}: start: {self.start} is no zero-shot experiment of this "
                "profile, whose models could be fine-tuned: add it"
            )
        if not self.sizes:
            raise ValueError(f"{self.where}: sizes is empty")
        self.check_list("sizes", self.sizes)
        if min(self.sizes) < 1:
            raise ValueError(f"{self.where}: sizes must be at least 1")
        self.check_models_in(first)

    def add_to(self, plan):
        first, pairs = plan.grid.experiments[self.start], plan.part(Pairs)
        for high, low in first.pairs.items():
            start = plan.settings[self.start, high]
            folder, data = f"{self.name}.{low}", first.data_of(low)
            pairs.sample(Sample(folder, data, low, first.target, tuple(self.sizes)))
            tests = [test for test in start.tests if test.averaged]
            if self.tests:
                own = replace(tests[0], data=data, dataset=first.dataset)
                tests = self.test_sets(plan, low, own, first.target)
            for used in (data, start.data):
                pairs.exclude(used, [(test.dataset, low) for test in tests])
            for size in self.sizes:
                self.add_setting(
                    *(plan, f"{low}-{size}"),
                    **{"data": f"{folder}/{size}", "vocabulary": start.vocabulary},
                    **{"sources": (low,), "target": first.target, "tests": tuple(tests)},
                    start=(self.start, high),
                )

    def shown(self, plan):
        """Before the settings of a language, the one that they start from."""
        found = []
        for setting in plan.settings_of(self.name):
            start = plan.settings[setting.start]
            found += [start] * (start not in found) + [setting]
        return found

    def column(self, setting, test):
        if not test.averaged:
            return None
        is_start = setting.experiment == self.start
        size = 0 if is_start else int(setting.name.rpartition("-")[2])
        return Column(setting.name, test.name, f"{test.name} {size}", False, size)
