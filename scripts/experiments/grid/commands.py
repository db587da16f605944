"""The command lines of a training: what a reader would type in the repository's root."""

import re
import shlex
from dataclasses import dataclass
from typing import Tuple

USER_DIR = ("--user-dir", "fairseq_bytefusion")


def join(command):
    """A list of words as a shell line."""
    return shlex.join(map(str, command))


def names_in(flags):
    """list of str: the names that flags (str) have in braces, each for a checkpoint."""
    return re.findall(r"\{(\w+)\}", flags)


@dataclass(frozen=True)
class Training:
    """What a kind of experiment says of a training.

    ``data``: what fairseq-train reads; ``task``: flags of its task; ``model``: those of
    its model, which win over the profile's; ``step``: flags of steps/train.py;
    ``inputs``: files that must be there.
    """

    data: str
    task: Tuple = ()
    model: Tuple = ()
    step: Tuple = ()
    inputs: Tuple[str, ...] = ()


class Commands:
    """Command lines for a plan, each a list of str.

    Args:
        plan (Plan)
    """

    def __init__(self, plan):
        self.plan, self.grid = plan, plan.grid

    def run_dir(self, run):
        """Path of a run's folder."""
        return f"{self.grid.work}/{run.path}"

    def model_dir(self, run):
        """Path of the folder of the run whose training made a run's model."""
        return self.run_dir(self.plan.trained_run(run))

    def train_inputs(self, run):
        """Files that a training waits for."""
        inputs, start = list(self._training(run).inputs), self.plan.start_of(run)
        products = self._products(run)
        inputs += [products[name][1] for name in names_in(" ".join(self._flags(run)))]
        return inputs + ([f"{self.run_dir(start)}/average.pt"] if start else [])

    def _products(self, run):
        named = self.plan.spec_of(run.setting).checkpoints
        return {name: self.plan.product_of(path) for name, path in named.items()}

    def _flags(self, run):
        """Flags of its model and of all that its experiment trains."""
        spec = self.plan.spec_of(run.setting)
        shared = shlex.split(spec.train_flags or self.grid.train_flags)
        own = self._training(run).model
        return [str(f) for f in (*shared, *own, *shlex.split(run.setting.flags))]

    def _training(self, run):
        return self.plan.spec_of(run.setting).training(self.plan, run)

    def train_step(self, run):
        """steps/train.py and, after --, what it runs."""
        return [
            *("python", "scripts/experiments/steps/train.py", "--run", self.run_dir(run)),
            *("--data", self._training(run).data, *self._training(run).step),
            *("--", *self.train(run)),
        ]

    def train(self, run):
        """What trains, of any kind of experiment."""
        return self.plan.spec_of(run.setting).command(self, run)

    def fairseq_train(self, run):
        """fairseq-train, of a kind of experiment that is trained by it."""
        setting, parts = run.setting, self._training(run)
        spec, products = self.plan.spec_of(setting), self._products(run)
        flags = [
            re.sub(r"\{(\w+)\}", lambda name: products[name[1]][0], flag)
            for flag in self._flags(run)
        ]
        return [
            *shlex.split(self.grid.launcher), parts.data, *USER_DIR, *parts.task, *flags,
            *self._start(run), *_decay(setting, flags), "--seed", run.seed,
            *spec.schedule(self.grid, setting), "--no-epoch-checkpoints",
            "--save-dir", f"{self.run_dir(run)}/checkpoints", "--log-format", "json",
        ]  # fmt: skip

    def _start(self, run):
        start = self.plan.start_of(run)
        if start is None:
            return []
        path = f"{self.run_dir(start)}/average.pt"
        return self.plan.spec_of(run.setting).start_flags(run.setting, path)

    def average(self, run):
        """bytefusion average: of the last checkpoints, or the best one alone where
        training ends when it gets no better."""
        folder = self.run_dir(run)
        which = [f"{folder}/checkpoints", "--last", self.grid.average]
        if self.plan.spec_of(run.setting).patience:
            which = [f"{folder}/checkpoints/checkpoint_best.pt"]
        return ["bytefusion", "average", *which, "--output", f"{folder}/average.pt"]


def _decay(setting, flags):
    if "polynomial_decay" in flags:
        # It does not find --max-update by itself, whatever its help says.
        return ["--total-num-update", setting.updates]
    return []
