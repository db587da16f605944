"""Everything the report of an experiment shows, read from its work directory."""

import os
from dataclasses import dataclass
from typing import Dict, List, Tuple

from fairseq_bytefusion.checkpoints.inspection import inspect_checkpoint

from ..grid.commands import join
from ..pairs.plan import Column
from ..steps.recording import read_json
from .logs import decoding_time, read_training
from .rows import Row, add_p_values, judge_rows, read_rows
from .validation_bits import bits_per_byte


@dataclass
class Training:
    """A run of a setting: its log, the commands of all steps, what it was made with.

    ``bits_per_byte``: updates -> of the validation set.
    """

    run: object
    log: object
    bits_per_byte: Dict[int, float]
    max_tokens: int
    commands: List[str]
    record: dict


@dataclass
class Results:
    """``spec``: the experiment's configuration; ``stats``: (data directory, pair) ->
    counts of prepare.py."""

    experiment: str
    spec: object
    columns: List[Column]
    rows: List[Row]
    trainings: List[Training]
    stats: Dict[Tuple[str, str], dict]

    @property
    def seeds(self):
        """list of int: of its rows, sorted."""
        return sorted({row.seed for row in self.rows})


def collect(plan, commands, experiment):
    """Read all results of an experiment.

    Args:
        plan (Plan), commands (Commands)
        experiment (str)

    Returns:
        Results

    Raises:
        OSError, ValueError, KeyError: a step's output is missing or broken.
    """
    settings = plan.settings_of(experiment)
    trainings = [
        _training(commands, run) for setting in settings for run in plan.runs_of(setting)
    ]
    spec = plan.grid.experiments[experiment]
    shown = spec.shown(plan)
    columns = [
        column
        for setting in shown
        for test in setting.tests
        if (column := spec.column(setting, test)) is not None
    ]
    rows = read_rows(plan, commands, settings, shown, columns)
    judge_rows(rows, trainings, columns)
    add_p_values(rows, spec.baseline)
    _add_sizes_and_speeds(rows, trainings, commands)
    stats = _stats(plan, commands, settings)
    return Results(experiment, spec, columns, rows, trainings, stats)


def _training(commands, run):
    folder, model = commands.run_dir(run), commands.model_dir(run)
    record = read_json(f"{model}/trained.json")
    log = read_training(f"{model}/train.log")
    bits = bits_per_byte(commands, run)
    steps = list(map(join, commands.data_steps(run.setting)))
    steps += [
        join(record["command"]),
        join(commands.average(commands.plan.trained_run(run))),
    ]
    for place in (folder, f"{folder}/references"):
        records = [read_json(f"{place}/{test.name}.json") for test in run.setting.tests]
        steps += [join(step["command"]) for step in records]
    steps.append(join(commands.score(run.setting, run.seed)))
    max_tokens = int(record["command"][-1])
    return Training(run, log, bits, max_tokens, steps, record)


def _add_sizes_and_speeds(rows, trainings, commands):
    for row in rows:
        mine = [
            t for t in trainings if (t.run.system, t.run.seed) == (row.system, row.seed)
        ]
        folder = commands.model_dir(mine[0].run)
        row.parameters = inspect_checkpoint(f"{folder}/average.pt").num_parameters
        speeds = [t.log.sentences_per_second for t in mine]
        known = [speed for speed in speeds if speed is not None]
        row.train_speed = sum(known) / len(known) if known else None
        logged = [list(t.log.seconds.values())[-1:] for t in mine]
        row.train_seconds = sum(map(sum, logged)) if all(logged) else None
        times = [
            decoding_time(f"{commands.run_dir(t.run)}/{test.name}.err")
            for t in mine
            for test in t.run.setting.tests
        ]
        sentences, seconds = map(sum, zip(*times))
        row.decode_speed = sentences / seconds if seconds else None


def _stats(plan, commands, settings):
    """(data directory, pair) -> counts, of training and test data of the settings."""
    names = [s.data for s in settings] + [t.data for s in settings for t in s.tests]
    names += [s.vocabulary for s in settings]
    found = {}
    for name in dict.fromkeys(names):
        path = os.path.join(commands.data_dir(name), "stats.json")
        for pair, counts in read_json(path).items():
            found[name, pair] = counts
    return found
