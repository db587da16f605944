"""What kinds of experiment whose models give labels have in common."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Dict, List

from ..grid.building import check_at_least_one, check_whole, known
from ..grid.commands import Training
from ..grid.schema import required
from ..labels.commands import DONE, MISSPELT, LabelCommands
from ..labels.plan import LabelSetting, LabelTest
from .experiment import Experiment

#: names of the settings of an experiment that starts from the encoders of another
FROZEN, TUNED = "frozen", "tuned"


@dataclass
class Labelling(Experiment):
    """``systems``: a system of label_systems.yaml -> its seeds; ``dataset``, ``files``: a
    folder and the names of its files, ``{split}.slots.conll.gz``. Columns count from 1, 0
    is the last.

    ``epochs``: at most so many, fewer with ``patience``; the checkpoint with the best
    ``metric`` of validation counts. ``misspelt``: share of the words of the test set that
    can be misspelt. ``start``: an experiment whose encoders are taken, frozen and trained
    further; ``word_min_count``: how often a word of the list of words occurs.
    """

    updates: int = 0
    save_every: int = 0
    patience: int = 50
    epochs: int = required()
    dataset: str = required()
    files: str = required()
    systems: Dict[str, List[int]] = required()
    metric: str = required()
    label_column: int = 0
    misspelt: float = 0.3
    start: str = ""
    word_min_count: int = 2

    rules: ClassVar = ("labels",)
    #: of the task, and of its files
    task: ClassVar[str] = ""
    extension: ClassVar[str] = ""

    def uses(self):
        return [self.start] if self.start else []

    def check(self, grid):
        super().check(grid)
        known("dataset", self.dataset, grid.datasets, self.where)
        if "{split}" not in self.files:
            raise ValueError(
                f"{self.where}: files must say where the split stands, such as "
                f"{{split}}.{self.extension}.gz; it is {self.files!r}"
            )
        for system, seeds in self.systems.items():
            known("system", system, grid.label_systems, self.where)
            if not seeds or not isinstance(seeds, list) or len(set(seeds)) < len(seeds):
                raise ValueError(
                    f"{self.where}: {system} needs a list of different seeds, such as [1]"
                )
            for seed in seeds:
                check_whole(seed, f"{self.where}: {system}")
        if not 0 < self.misspelt <= 1:
            raise ValueError(
                f"{self.where}: misspelt must lie above 0 and not above 1, not "
                f"{self.misspelt}"
            )
        self._check_start(grid)

    def check_schedule(self, grid):
        if self.updates or self.save_every:
            raise ValueError(f"{self.where}: epochs takes the place of updates, save_every")
        check_at_least_one(self, self.where, "epochs", "patience", "word_min_count")

    def _check_start(self, grid):
        if not self.start:
            return
        first = grid.experiments.get(self.start)
        if not isinstance(first, Labelling) or first.start:
            raise ValueError(
                f"{self.where}: start: {self.start} is no experiment of this profile that "
                "trains models with labels from nothing: add it"
            )
        for system, seeds in self.systems.items():
            if missing := set(seeds) - set(first.systems.get(system, [])):
                raise ValueError(
                    f"{self.where}: {system} seed {min(missing)} has no model in "
                    f"{self.start}: add it there"
                )

    def seeds_by_system(self, setting):
        return self.systems

    def flags_in_use(self, grid):
        systems = {name: grid.label_systems[name] for name in self.systems}
        return {**super().flags_in_use(grid), **systems}

    def add_to(self, plan):
        tests = tuple(
            LabelTest(name, f"{file}.{self.extension}")
            for name, file in (("clean", "test"), ("misspelt", MISSPELT))
        )
        start = (self.start, "all") if self.start else None
        for name in (FROZEN, TUNED) if self.start else ("all",):
            about = {"flags": self.flags, "tests": tests, "start": start}
            freeze = name == FROZEN
            plan.add(LabelSetting(self.name, name, self.name, 0, 0, **about, freeze=freeze))

    def schedule(self, grid, setting):
        return [
            *("--max-epoch", self.epochs, "--patience", self.patience),
            *("--best-checkpoint-metric", self.metric),
            "--maximize-best-checkpoint-metric",
        ]

    def start_flags(self, setting, path):
        return ["--encoder-from", path, *["--freeze-encoder"] * setting.freeze]

    def training(self, plan, run):
        data = LabelCommands(plan).data_dir(run.setting.data)
        return Training(
            data,
            task=("--task", self.task, *self.columns()),
            model=tuple(shlex.split(plan.grid.label_systems[run.system])),
            inputs=(f"{data}/{DONE}",),
        )

    def columns(self):
        """list: flags of the columns of its files."""
        return ["--label-column", self.label_column] if self.label_column else []

    def report_inputs(self, plan):
        commands = LabelCommands(plan)
        return [
            *super().report_inputs(plan),
            *(
                commands.scores(run, test)
                for setting in plan.settings_of(self.name)
                for run in plan.runs_of(setting)
                for test in setting.tests
            ),
        ]

    def write_report(self, plan, folder):
        from ..report.labels import write_report

        write_report(plan, self, Path(folder))
