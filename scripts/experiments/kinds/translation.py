"""What kinds of experiment that train translation models have in common."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Dict, List

from ..grid.building import check_at_least_one, check_whole, known
from ..grid.commands import Training, join
from ..grid.schema import required
from ..pairs.commands import TASK, PairCommands
from ..pairs.plan import Column, Pairs, PrepareJob, TestSet, TranslationSetting
from .experiment import Experiment


@dataclass
class Translation(Experiment):
    """``systems``: a system of systems.yaml -> its seeds."""

    systems: Dict[str, List[int]] = required()

    rules: ClassVar = ("pairs", "translation")

    def check(self, grid):
        super().check(grid)
        for system, seeds in self.systems.items():
            known("system", system, grid.systems, self.where)
            if not isinstance(seeds, list) or not seeds:
                raise ValueError(
                    f"{self.where}: {system} needs a list of seeds, such as [1, 2]"
                )
            for seed in seeds:
                check_whole(seed, f"{self.where}: {system}")
            self.check_list(system, seeds)

    def check_list(self, key, values, target=None):
        """Refuse what is named twice, or the target as a source."""
        for value in values:
            if values.count(value) > 1:
                raise ValueError(f"{self.where}: {key} may name {value} once only")
            if value == target:
                raise ValueError(f"{self.where}: {value} is the target, no source")

    def seeds_by_system(self, setting):
        return self.systems

    def flags_in_use(self, grid):
        systems = {name: join(grid.flags_of(name)) for name in self.systems}
        return {**super().flags_in_use(grid), **systems}

    def add_setting(self, plan, name, **about):
        """Add a TranslationSetting of this experiment; it may say other updates."""
        for key in ("updates", "save_every", "flags"):
            about.setdefault(key, getattr(self, key))
        setting = TranslationSetting(self.name, name, **about)
        plan.add(setting)
        plan.part(Pairs).settings.append(setting)

    def setting_name(self, key, place):
        """(experiment, setting) of EXPERIMENT/SETTING, which a key says.

        Raises:
            ValueError: it is not of that form.
        """
        experiment, slash, name = place.partition("/")
        if not (experiment and slash and name):
            raise ValueError(
                f"{self.where}: {key} must be an experiment and a setting of it, such as "
                f"many_to_one/all; it is {place!r}"
            )
        return experiment, name

    def setting_at(self, plan, key, place):
        """The TranslationSetting of EXPERIMENT/SETTING, which a key says.

        Raises:
            ValueError: there is none.
        """
        experiment, name = self.setting_name(key, place)
        names = [setting.name for setting in plan.settings_of(experiment)]
        known("setting", name, names, f"{self.where}: {key}: {experiment}")
        return plan.settings[experiment, name]

    def check_trained_in(self, grid, key, place):
        """Refuse systems and seeds that have no model in EXPERIMENT/SETTING."""
        experiment, _ = self.setting_name(key, place)
        first = grid.experiments.get(experiment)
        if not isinstance(first, Translation) or first is self:
            raise ValueError(
                f"{self.where}: {key}: {experiment} is no experiment of this profile that "
                "trains such models: add it"
            )
        self.check_models_in(first)

    def check_models_in(self, first):
        """Refuse systems and seeds that have no model in another experiment."""
        for system, seeds in self.systems.items():
            missing = sorted(set(seeds) - set(first.systems.get(system, [])))
            if missing:
                raise ValueError(
                    f"{self.where}: {system} seed {missing[0]} has no model in "
                    f"{first.name}: add it there"
                )

    def training(self, plan, run):
        setting, grid, commands = run.setting, plan.grid, PairCommands(plan)
        data = commands.data_dir(setting.data)
        several = []
        if len(setting.sources) > 1:
            several = ["--sampling-temperature", setting.temperature]
        task = ["-s", ",".join(setting.sources), "-t", setting.target, *several]
        unit = grid.systems[run.system].unit
        tokens = f"{data}/tokens.json"
        return Training(
            data,
            task=(*TASK, *task, *commands.units_of(run)),
            model=tuple(grid.flags_of(run.system)),
            step=("--tokens", tokens, "--unit", unit, "--max-tokens", grid.max_tokens),
            inputs=(f"{data}/vocabulary.done", tokens),
        )


@dataclass
class Comparison(Translation):
    """Systems that are scored, each against ``baseline`` of the same seed. ``tests``: the
    data sets whose test sets are translated, in place of the own one of ``dataset``."""

    baseline: str = "byte_dense"
    tests: List[str] = field(default_factory=list)

    outputs: ClassVar = (*Translation.outputs, "comparisons.csv", "curves.csv")

    def check(self, grid):
        super().check(grid)
        known("system", self.baseline, self.systems, f"{self.where}: baseline")
        for system, seeds in self.systems.items():
            missing = set(seeds) - set(self.systems[self.baseline])
            if missing:
                raise ValueError(
                    f"{self.where}: {system} is compared with the baseline {self.baseline} "
                    f"of the same seed, which has no seed {min(missing)}: add it to that "
                    "system"
                )
        for dataset in self.tests:
            known("dataset", dataset, grid.datasets, self.where)
        self.check_list("tests", self.tests)

    def seeds_by_system(self, setting):
        others = [name for name in self.systems if name != self.baseline]
        return {name: self.systems[name] for name in [self.baseline, *others]}

    def test_sets(self, plan, source, own, target, averaged=True):
        """The test sets of a source language.

        Args:
            plan (Plan): gets the directories of those that ``tests`` names.
            source, target (str)
            own (TestSet): the one of the directory of the pair.
            averaged (bool)

        Returns:
            list of TestSet
        """
        found = []
        for dataset in self.tests or [own.dataset]:
            name = source if len(self.tests) < 2 else f"{source}.{dataset}"
            if dataset == own.dataset:
                data = own.data
            else:
                data = f"{self.name}.{dataset}.{source}"
                plan.part(Pairs).add(PrepareJob(data, dataset, source, target, ("test",)))
            found.append(TestSet(name, data, source, dataset, averaged))
        return found

    def shown(self, plan):
        """list of Setting: those with columns in the table, in its order."""
        return plan.settings_of(self.name)

    def column(self, setting, test):
        """The Column of a TestSet of a Setting, or None where the table has none."""
        label = test.name if test.averaged else f"{test.name} (seen)"
        return Column(setting.name, test.name, label, test.averaged)

    def report_inputs(self, plan):
        commands, settings = PairCommands(plan), self.shown(plan)
        runs = [run for setting in settings for run in plan.runs_of(setting)]
        logs = [
            log
            for run in runs
            for test in run.setting.tests
            for log in (commands.log(run, test), commands.score_log(run, test))
        ]
        words = [commands.words_file(s) for s in plan.trained_settings(settings)]
        return [
            *(
                commands.scores(s, seed)
                for s in settings
                for seed in plan.seeds_of(self.name)
            ),
            *logs,
            *dict.fromkeys(words),
        ]

    def write_report(self, plan, folder):
        from ..report.page import write_report

        write_report(plan, PairCommands(plan), self.name, Path(folder))


@dataclass
class FromScratch(Comparison):
    """Models that start from nothing, and the vocabularies that are made for them.

    ``max_bytes``: of a side of a training pair; prepare.py's own where it is 0.
    ``word_min_count``: how often a word of a list of words occurs.
    """

    target: str = required()
    source_subwords: int = 64000
    target_subwords: int = 8000
    max_bytes: int = 0
    word_min_count: int = 3

    def check(self, grid):
        super().check(grid)
        check_at_least_one(
            self, self.where, "source_subwords", "target_subwords", "word_min_count"
        )
        if self.max_bytes < 0:
            raise ValueError(f"{self.where}: max_bytes must not be below 0")

    def add_pair(self, plan, data, dataset, source):
        """Add a pair that is trained on."""
        job = PrepareJob(data, dataset, source, self.target, max_bytes=self.max_bytes)
        plan.part(Pairs).add(job)
