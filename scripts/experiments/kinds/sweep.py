"""A small grid over flags of fairseq-train: which values learn best."""

import itertools
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Dict

from ..grid.schema import required
from .translation import Translation


@dataclass
class Sweep(Translation):
    """``like``: the setting, ``many_to_one/all``, whose data is trained on; ``values``: a
    flag, without its dashes -> its values, all of which are combined."""

    like: str = required()
    values: Dict[str, list] = required()

    title: ClassVar = "Which values of flags learn best"
    rules: ClassVar = ("pairs",)

    def uses(self):
        return [self.like.split("/")[0]]

    def check(self, grid):
        super().check(grid)
        self.setting_name("like", self.like)
        first = grid.experiments.get(self.uses()[0])
        if not isinstance(first, Translation) or isinstance(first, Sweep):
            raise ValueError(
                f"{self.where}: like: {self.uses()[0]} is no experiment of this profile "
                "that translates: add it"
            )
        if not self.values:
            raise ValueError(f"{self.where}: values is empty")
        for flag, values in self.values.items():
            if flag.startswith("-"):
                raise ValueError(
                    f"{self.where}: values: write {flag.strip('-')}, without dashes"
                )
            if not isinstance(values, list) or not values:
                raise ValueError(
                    f"{self.where}: values: {flag} needs a list, such as [0, 0.1]"
                )
            self.check_list(f"values: {flag}", values)
            for value in values:
                if isinstance(value, bool) or not isinstance(value, (int, float, str)):
                    raise ValueError(
                        f"{self.where}: values: {flag}: {value!r} is no number or text"
                    )

    def combinations(self):
        """dict: setting -> its values (flag -> value)."""
        found = [
            dict(zip(self.values, each))
            for each in itertools.product(*self.values.values())
        ]
        return {"-".join(f"{k}_{v}" for k, v in each.items()): each for each in found}

    def add_to(self, plan):
        first = self.setting_at(plan, "like", self.like)
        for name, values in self.combinations().items():
            words = [
                word for flag, value in values.items() for word in (f"--{flag}", value)
            ]
            flags = shlex.join(map(str, words))
            self.add_setting(
                *(plan, name),
                **{"data": first.data, "vocabulary": first.vocabulary},
                **{"sources": first.sources, "target": first.target},
                temperature=first.temperature,
                flags=f"{self.flags} {flags}".strip(),
            )

    def write_report(self, plan, folder):
        from ..report.sweep import write_report

        write_report(plan, self, Path(folder))
