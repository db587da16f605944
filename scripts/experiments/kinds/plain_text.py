"""What kinds of experiment that learn from plain text, before any task, have in common."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Dict, List

from ..grid.building import check_quotes
from ..grid.commands import Training
from ..grid.plan import Setting
from ..grid.schema import required
from .experiment import Experiment

#: the language code of their texts, and the mark that these are there
LANG, DONE = "text", "text.done"
SPLITS = ("train", "valid")


@dataclass
class PlainText(Experiment):
    """``systems``: a name -> flags of its model. ``train``, ``valid``: files below
    ``data_root``, or patterns of such, whose different lines are the text; never those of
    a test set."""

    systems: Dict[str, str] = required()
    train: List[str] = required()
    valid: List[str] = required()

    rules: ClassVar = ("plain_text",)
    #: flags of the task
    task: ClassVar = ()
    #: what validation logs and the table shows
    scores: ClassVar = ()

    def check(self, grid):
        super().check(grid)
        for key in SPLITS:
            if not getattr(self, key):
                raise ValueError(f"{self.where}: {key} names no file")
        if not self.systems:
            raise ValueError(f"{self.where}: systems is empty")
        for name, flags in self.systems.items():
            check_quotes(f"{self.where}: systems: {name}", flags)

    def flags_in_use(self, grid):
        return {**super().flags_in_use(grid), **self.systems}

    def seeds_by_system(self, setting):
        return {name: [1] for name in self.systems}

    def add_to(self, plan):
        about = (self.name, "all", self.name, self.updates, self.save_every, self.flags)
        plan.add(Setting(*about))

    def texts(self, grid, split):
        """list of str: the files, or patterns of such, of a split."""
        return [os.path.join(grid.data_root, name) for name in getattr(self, split)]

    def data_dir(self, grid):
        """Path of the folder of its texts, ``train.text`` and ``valid.text``."""
        return f"{grid.work}/data/{self.name}"

    def data_steps(self, grid):
        """Commands that make that folder, in order."""
        return [
            [
                *("python", "scripts/experiments/steps/join_texts.py"),
                *self.texts(grid, split),
                *("--out", f"{self.data_dir(grid)}/{split}.{LANG}"),
            ]
            for split in SPLITS
        ]

    def training(self, plan, run):
        folder = self.data_dir(plan.grid)
        return Training(
            folder,
            task=(*self.task, "-s", LANG),
            model=tuple(shlex.split(self.systems[run.system])),
            inputs=(f"{folder}/{DONE}",),
        )

    def write_report(self, plan, folder):
        from ..report.plain_text import write_report

        write_report(plan, self, Path(folder))
