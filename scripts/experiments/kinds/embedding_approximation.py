"""char2subword learns the rows of tables: which terms of the loss, with or without noise.

Source: Aguilar et al. 2021, *Char2Subword*, table 2.
"""

import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Dict, List

from ..grid.building import build, check_quotes
from ..grid.commands import Training
from ..grid.plan import Setting
from ..grid.schema import required
from .experiment import Experiment, check_schedule

TERMS = ("ce", "cos", "l2", "nbr")
LOSSES = [
    "+".join(terms)
    for count in range(1, len(TERMS) + 1)
    for terms in itertools.combinations(TERMS, count)
]


@dataclass
class Table:
    """A table that is learned.

    ``path``: of a file or folder, or ``model``: the path of a run of another experiment,
    ``composers/all/mixture_hybrid/seed1``, whose table it is. ``losses``: such as
    ``ce+cos``, each term of weight 1; ``noise_prob``: one training of each.
    """

    updates: int = required()
    save_every: int = required()
    losses: List[str] = required()
    path: str = ""
    model: str = ""
    noise_prob: List[float] = field(default_factory=lambda: [0])
    flags: str = ""


@dataclass
class EmbeddingApproximation(Experiment):
    """``tables``: name -> :class:`Table`."""

    updates: int = 0
    save_every: int = 0
    train_flags: str = required()
    tables: Dict[str, object] = required()

    title: ClassVar = "Learning the rows of a table from spelling"

    def uses(self):
        return [t.model.split("/")[0] for t in self.tables.values() if t.model]

    def models_used(self):
        tables = {f"tables: {n}: model": t.model for n, t in self.tables.items() if t.model}
        return {**super().models_used(), **tables}

    def flags_in_use(self, grid):
        tables = {f"tables: {name}": t.flags for name, t in self.tables.items()}
        return {**super().flags_in_use(grid), **tables}

    def check(self, grid):
        super().check(grid)
        if self.updates or self.save_every:
            raise ValueError(f"{self.where}: updates and save_every are those of a table")
        if not self.tables:
            raise ValueError(f"{self.where}: tables is empty")
        for name, keys in self.tables.items():
            where = f"{self.where}: tables: {name}"
            table = keys if isinstance(keys, Table) else build(Table, keys, where)
            self.tables[name] = table
            self._check_table(table, grid, where)

    def check_schedule(self, grid):
        """Each table has its own."""

    def _check_table(self, table, grid, where):
        check_schedule(table, grid, where)
        if bool(table.path) == bool(table.model):
            raise ValueError(f"{where}: it needs one of path and model")
        if table.model and table.model.split("/")[0] not in grid.experiments:
            raise ValueError(
                f"{where}: model: {table.model} is the run of no experiment of this profile"
            )
        check_quotes(f"{where}: flags", table.flags)
        for loss in table.losses:
            if loss not in LOSSES:
                raise ValueError(
                    f"{where}: the loss {loss} must be made of {', '.join(TERMS)}, in this "
                    "order, with + between"
                )
            if table.losses.count(loss) > 1:
                raise ValueError(f"{where}: losses may name {loss} once only")
        for key in ("losses", "noise_prob"):
            if not getattr(table, key):
                raise ValueError(f"{where}: {key} is empty")
        for prob in table.noise_prob:
            if isinstance(prob, bool) or not (
                isinstance(prob, (int, float)) and 0 <= prob <= 1
            ):
                raise ValueError(f"{where}: noise_prob {prob} must lie between 0 and 1")

    def add_to(self, plan):
        for name, table in self.tables.items():
            for prob in table.noise_prob:
                flags = f"{table.flags} {self.flags} --noise-prob {prob}"
                plan.add(
                    Setting(
                        *(self.name, f"{name}-noise_{prob}", name),
                        *(table.updates, table.save_every, flags.strip()),
                    )
                )

    def noise_of(self, setting):
        """The ``--noise-prob`` of a setting, as str."""
        return setting.name.rpartition("-noise_")[2]

    def seeds_by_system(self, setting):
        return {loss: [1] for loss in self.tables[setting.data].losses}

    def training(self, plan, run):
        table = self.tables[run.setting.data]
        path, inputs = table.path, ()
        if table.model:
            path, awaited = plan.product_of(table.model)
            inputs = (awaited,)
        terms = run.system.split("+")
        weights = [word for t in TERMS for word in (f"--{t}-weight", int(t in terms))]
        return Training(
            path,
            task=("--task", "embedding_approximation"),
            model=tuple(weights),
            inputs=inputs,
        )

    def write_report(self, plan, folder):
        from ..report.approximation import write_report

        write_report(plan, self, Path(folder))
