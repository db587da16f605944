"""What a grid comes to: settings, and the trainings in them.

A *setting* is training data with the test sets its models meet; a *run* is a system
trained in a setting with a seed.
"""

from dataclasses import dataclass
from typing import Optional, Tuple

from .building import known


@dataclass(frozen=True)
class Setting:
    """``data``: what is trained on, by a name of its kind; ``tests``: each has a ``name``.
    ``start``: the setting whose models are trained further; ``models``: the one whose
    models are used as they are, so that nothing is trained. Both as (experiment, name)."""

    experiment: str
    name: str
    data: str
    updates: int
    save_every: int
    flags: str = ""
    tests: Tuple = ()
    start: Optional[Tuple[str, str]] = None
    models: Optional[Tuple[str, str]] = None


@dataclass(frozen=True)
class Run:
    setting: Setting
    system: str
    seed: int

    @property
    def path(self):
        """Its folder, below the work directory."""
        return (
            f"{self.setting.experiment}/{self.setting.name}/{self.system}/seed{self.seed}"
        )


class Plan:
    """All settings and runs of a grid.

    Attributes:
        settings: (experiment, name) -> Setting
    """

    def __init__(self, grid):
        self.grid, self.settings, self._parts = grid, {}, {}
        filled = set()

        def fill(experiment):
            if experiment.name not in filled:
                filled.add(experiment.name)
                for name in experiment.uses():
                    fill(grid.experiments[name])
                experiment.add_to(self)

        for experiment in grid.experiments.values():
            fill(experiment)
        # Experiments may need models of one another, so only now.
        for experiment in grid.experiments.values():
            for key, path in experiment.models_used().items():
                self._check_trained(path, f"{experiment.where}: {key}")

    def _check_trained(self, path, where):
        """Raise ValueError where ``path`` is that of no run that trains a model."""
        trained = [s for s in self.settings_of(path.split("/")[0]) if s.models is None]
        paths = [run.path for setting in trained for run in self.runs_of(setting)]
        known("run", path, paths, where)

    def product_of(self, path):
        """What stands for a run in flags, and the file to wait for: two paths.

        Args:
            path (str): of the run, below the work directory.
        """
        spec = self.grid.experiments[path.split("/")[0]]
        folder = f"{self.grid.work}/{path}"
        return f"{folder}/{spec.product}", f"{folder}/{spec.awaited}"

    def part(self, kind):
        """What several experiments plan together beside settings, such as their data.

        Args:
            kind (type): made without arguments when it is asked for first.
        """
        return self._parts.setdefault(kind, kind())

    def add(self, setting):
        """Add a Setting.

        Raises:
            ValueError: another one has its name, or no folder can.
        """
        where = f"experiments: {setting.experiment}"
        if "/" in setting.experiment + setting.name:
            raise ValueError(f"{where}: {setting.name}: no name may contain a slash")
        if (setting.experiment, setting.name) in self.settings:
            raise ValueError(f"{where}: {setting.name} is there twice: name it once")
        self.settings[setting.experiment, setting.name] = setting

    def spec_of(self, setting):
        """The Experiment of a setting."""
        return self.grid.experiments[setting.experiment]

    def settings_of(self, experiment):
        """Settings of an experiment, in order.

        Raises:
            ValueError: the profile does not have it.
        """
        known("experiment", experiment, self.grid.experiments, self.grid.profile)
        return [s for (name, _), s in self.settings.items() if name == experiment]

    def runs_of(self, setting, seed=None):
        """Runs of a setting, the baseline first; of one ``seed`` where that is given."""
        return [
            Run(setting, system, each)
            for system, seeds in self.spec_of(setting).seeds_by_system(setting).items()
            for each in seeds
            if seed in (None, each)
        ]

    def run_at(self, experiment, name, system, seed):
        """The run of these names (``seed`` may be a str)."""
        return Run(self.settings[experiment, name], system, int(seed))

    def trained_run(self, run):
        """The run whose training made the model of a run: most often itself."""
        if run.setting.models is None:
            return run
        return self.trained_run(self.run_at(*run.setting.models, run.system, run.seed))

    def trained_settings(self, settings):
        """The settings in which the models of ``settings`` were trained, from the start."""
        found = []
        for setting in settings:
            while setting.models is not None:
                setting = self.settings[setting.models]
            if setting.start is not None:
                found += self.trained_settings([self.settings[setting.start]])
            found.append(setting)
        return found

    def start_of(self, run):
        """The run whose model a run trains further, or None."""
        if run.setting.start is None:
            return None
        return self.run_at(*run.setting.start, run.system, run.seed)

    def seeds_of(self, experiment):
        """Seeds of an experiment, sorted."""
        runs = [r for s in self.settings_of(experiment) for r in self.runs_of(s)]
        return sorted({run.seed for run in runs})
