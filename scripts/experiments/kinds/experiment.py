"""What every kind of experiment has, and what the engine asks of it."""

from dataclasses import dataclass, field
from typing import ClassVar, Dict, Tuple

from ..grid.building import check_at_least_one, known
from ..grid.commands import names_in
from ..grid.schema import required


@dataclass
class Experiment:
    """An experiment of a profile. Its fields are the keys of ``grid.yaml``.

    ``updates``, ``save_every``: of each training; ``train_flags``: in place of the
    profile's; ``flags`` come after all others; with ``patience``, training ends after so
    many validations without a better one, and the best checkpoint counts. ``checkpoints``:
    a name that flags have in braces, ``--char2subword-from {table}``, -> the path of the
    run whose model stands there, ``word_table/hybrid/ce/seed1``.
    """

    updates: int = required()
    save_every: int = required()
    train_flags: str = ""
    flags: str = ""
    patience: int = 0
    checkpoints: Dict[str, str] = field(default_factory=dict)
    name: str = field(init=False, default="")

    #: of its report
    title: ClassVar[str] = ""
    #: files of rules/ that make its steps, beside training and the report
    rules: ClassVar[Tuple[str, ...]] = ()
    #: what stands for a run in the flags of others, in its folder, and the file that is
    #: there when that is
    product: ClassVar[str] = "average.pt"
    awaited: ClassVar[str] = "average.pt"
    #: files of its results
    outputs: ClassVar[Tuple[str, ...]] = (
        *("table.md", "table.csv", "report.html"),
        "trainings.csv",
    )

    @property
    def where(self):
        """Its place in the profile, for messages."""
        return f"experiments: {self.name}"

    def uses(self):
        """list of str: names of the experiments whose data or settings it needs."""
        return []

    def models_used(self):
        """dict: a key of ``grid.yaml`` -> the path of the run whose model it names."""
        return {f"checkpoints: {name}": run for name, run in self.checkpoints.items()}

    def check(self, grid):
        """Raise ValueError, one sentence, where it does not fit the rest of a Grid."""
        self.check_schedule(grid)
        if self.patience < 0:
            raise ValueError(f"{self.where}: patience must not be below 0")

    def flags_in_use(self, grid):
        """dict: what flags of fairseq-train belong to -> these flags (str)."""
        return {"train_flags": self.train_flags or grid.train_flags, "flags": self.flags}

    def check_checkpoints(self, grid):
        """Raise ValueError where flags and ``checkpoints`` do not name the same models."""
        flags = self.flags_in_use(grid)
        for name, run in self.checkpoints.items():
            where = f"{self.where}: checkpoints: {name}"
            known("experiment", run.split("/")[0], grid.experiments, where)
            if not any(name in names_in(text) for text in flags.values()):
                raise ValueError(f"{where}: no flags of this experiment have {{{name}}}")
        for owner, text in flags.items():
            for name in names_in(text):
                if name not in self.checkpoints:
                    raise ValueError(
                        f"{self.where}: {owner} needs a model for {{{name}}}: say under "
                        f"checkpoints which run trains it, {name}: EXPERIMENT/SETTING/"
                        "SYSTEM/seed1"
                    )

    def check_schedule(self, grid):
        """Raise ValueError where its updates leave too few checkpoints."""
        check_schedule(self, grid, self.where)

    def add_to(self, plan):
        """Add its settings, and what they need, to a Plan."""
        raise NotImplementedError

    def seeds_by_system(self, setting):
        """dict: system -> seeds (list of int) of a setting, the baseline first."""
        raise NotImplementedError

    def training(self, plan, run):
        """What fairseq-train is told of a Run.

        Returns:
            grid.commands.Training
        """
        raise NotImplementedError

    def command(self, commands, run):
        """list: the command of a training.

        Args:
            commands (Commands)
            run (Run)
        """
        return commands.fairseq_train(run)

    def schedule(self, grid, setting):
        """list: flags of fairseq-train that say when it validates, saves and ends.

        Args:
            grid (Grid), setting (Setting)
        """
        every = setting.save_every
        return [
            *(["--patience", self.patience] if self.patience else []),
            *("--max-update", setting.updates),
            *("--validate-interval-updates", every, "--save-interval-updates", every),
            *("--keep-interval-updates", grid.average),
            *("--validate-interval", 10**6, "--save-interval", 10**6),
        ]

    def start_flags(self, setting, path):
        """list: flags of a Setting that is trained further from a checkpoint (str)."""
        return ["--finetune-from-model", path]

    def report_inputs(self, plan):
        """list of str: files that its report is made of; here what each training was."""
        return [
            f"{plan.grid.work}/{run.path}/trained.json"
            for setting in plan.settings_of(self.name)
            for run in plan.runs_of(setting)
        ]

    def write_results(self, plan, folder):
        """Write its ``outputs``; arguments and errors are those of ``write_report``."""
        from ..report.trainings import write_trainings

        self.write_report(plan, folder)
        write_trainings(plan, self, folder)

    def write_report(self, plan, folder):
        """Write its ``outputs`` but the list of trainings.

        Args:
            plan (Plan)
            folder (Path): made if there is none.

        Raises:
            OSError, ValueError, KeyError: a step's output is missing or broken.
        """
        raise NotImplementedError


def check_schedule(spec, grid, where):
    """Raise ValueError where ``updates`` and ``save_every`` of ``spec`` leave fewer
    checkpoints than a Grid averages."""
    check_at_least_one(spec, where, "updates", "save_every")
    if spec.updates % spec.save_every:
        raise ValueError(
            f"{where}: updates {spec.updates} must be a multiple of save_every "
            f"{spec.save_every}, so that the last checkpoint is one of those averaged"
        )
    if spec.updates // spec.save_every < grid.average:
        raise ValueError(
            f"{where}: {spec.updates} updates, saved every {spec.save_every}, give fewer "
            f"than the {grid.average} checkpoints to average: lower save_every"
        )
