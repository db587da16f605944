"""Word composers in translation, on clean and on misspelt sources."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ..grid.building import known
from ..grid.schema import required
from ..pairs.commands import PairCommands
from ..pairs.plan import Pairs, PrepareJob, TestSet
from .translation import FromScratch

ENCODER_SECONDS = "encoder_time.json"


@dataclass
class Composers(FromScratch):
    """``misspelt``: share of the words of the test set's sources."""

    dataset: str = required()
    source: str = required()
    misspelt: float = 0.2

    title: ClassVar = "Word composers, on clean and on misspelt sources"
    rules: ClassVar = ("pairs", "translation", "composers")
    outputs: ClassVar = (*FromScratch.outputs, "encoder.md")

    def check(self, grid):
        super().check(grid)
        known("dataset", self.dataset, grid.datasets, self.where)
        self.check_list("source", [self.source], self.target)
        if not 0 < self.misspelt <= 1:
            raise ValueError(
                f"{self.where}: misspelt must lie above 0 and not above 1, not "
                f"{self.misspelt}"
            )
        if self.tests:
            raise ValueError(f"{self.where}: tests are those of its data set: leave it out")

    def add_to(self, plan):
        pairs, data, noised = plan.part(Pairs), self.name, f"{self.name}.misspelt"
        self.add_pair(plan, data, self.dataset, self.source)
        pairs.exclude(data, [(self.dataset, self.source)])
        of = (noised, self.dataset, self.source, self.target, ("test",))
        pairs.add(PrepareJob(*of, misspelt=self.misspelt))
        tests = (
            TestSet("clean", data, self.source, self.dataset),
            TestSet("misspelt", noised, self.source, self.dataset),
        )
        self.add_setting(
            *(plan, "all"),
            **{"data": data, "vocabulary": data, "sources": (self.source,)},
            **{"target": self.target, "tests": tests},
        )

    def report_inputs(self, plan):
        seconds = f"{plan.grid.work}/{self.name}/{ENCODER_SECONDS}"
        return [*super().report_inputs(plan), seconds]

    def encoder_time(self, plan):
        """encoder_time.py of all systems of a seed, and the checkpoints that it needs."""
        (setting,), commands = plan.settings_of(self.name), PairCommands(plan)
        runs = plan.runs_of(setting, min(plan.seeds_of(self.name)))
        paths = [f"{commands.run_dir(run)}/average.pt" for run in runs]
        command = [
            *("python", "scripts/experiments/steps/encoder_time.py"),
            *(commands.data_dir(setting.data), "test", *paths),
            *("--out", f"{plan.grid.work}/{self.name}/{ENCODER_SECONDS}"),
        ]
        return command, paths

    def write_report(self, plan, folder):
        from ..report.encoder_time import write_encoder_time

        super().write_report(plan, folder)
        write_encoder_time(plan, self, Path(folder))
