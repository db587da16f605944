"""A small BERT, for what starts from a pre-trained model."""

import shlex
from dataclasses import dataclass
from typing import ClassVar

from ..grid.commands import Training
from .plain_text import LANG, PlainText


@dataclass
class Bert(PlainText):
    """``systems``: a name -> flags of steps/train_bert.py. In flags its folder ``model``
    stands for a run."""

    updates: int = 0
    save_every: int = 0

    title: ClassVar = "Small pre-trained models"
    product: ClassVar = "model"
    awaited: ClassVar = "trained.json"

    def check_schedule(self, grid):
        if self.updates or self.save_every:
            raise ValueError(f"{self.where}: give --updates in systems")
        if self.train_flags or self.flags:
            raise ValueError(f"{self.where}: give all flags in systems")

    def flags_in_use(self, grid):
        return dict(self.systems)

    def training(self, plan, run):
        parts = super().training(plan, run)
        return Training(parts.data, inputs=parts.inputs)

    def command(self, commands, run):
        text = f"{self.data_dir(commands.grid)}/train.{LANG}"
        return [
            *("python", "scripts/experiments/steps/train_bert.py", text),
            *(*shlex.split(self.systems[run.system]), "--seed", run.seed),
            *("--out", f"{commands.run_dir(run)}/{self.product}"),
        ]
