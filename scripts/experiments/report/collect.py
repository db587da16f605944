"""Everything the report of an experiment shows, read from its work directory."""

import os
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

from fairseq_bytefusion.checkpoints.inspection import inspect_checkpoint

from ..grid.commands import join
from ..pairs.plan import Column
from ..steps.recording import read_json
from .logs import decoding_time, read_training


@dataclass
class Row:
    """A system and seed. ``scores``: (setting, test) -> what ``bytefusion score`` says;
    the mean of those that count is ``average``."""

    system: str
    seed: int
    scores: Dict[Tuple[str, str], dict] = field(default_factory=dict)
    average: dict = field(default_factory=dict)
    parameters: int = 0
    train_speed: Optional[float] = None
    decode_speed: Optional[float] = None


@dataclass
class Training:
    """A run of a setting: its log, the commands of all steps, what it was made with."""

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
    rows = _rows(plan, commands, settings, shown)
    _add_sizes_and_speeds(rows, trainings, commands)
    stats = _stats(plan, commands, settings)
    return Results(experiment, spec, columns, rows, trainings, stats)


def _rows(plan, commands, settings, shown):
    runs = plan.runs_of(settings[0])
    rows = {(run.system, run.seed): Row(run.system, run.seed) for run in runs}
    averages = {key: [] for key in rows}
    for setting in shown:
        for seed in plan.seeds_of(settings[0].experiment):
            scores = read_json(commands.scores(setting, seed))
            for k, run in enumerate(plan.runs_of(setting, seed)):
                key = run.system, seed
                if key not in rows:  # a zero-shot model that is not fine-tuned
                    continue
                for test, scored in scores["sets"].items():
                    rows[key].scores[setting.name, test] = scored[k]
                if setting in settings:
                    averages[key].append(scores["average"][k])
    for key, row in rows.items():
        row.average = _mean(averages[key])
    return list(rows.values())


def _mean(cells):
    """The mean of averages of several settings; significance only where there is one."""
    if len(cells) == 1:
        return cells[0]
    return {
        metric: {"score": sum(cell[metric]["score"] for cell in cells) / len(cells)}
        for metric in ("BLEU", "chrF2")
    }


def _training(commands, run):
    folder, model = commands.run_dir(run), commands.model_dir(run)
    record = read_json(f"{model}/trained.json")
    log = read_training(f"{model}/train.log")
    # A loss a symbol of the unit compares only when spread over the bytes it stands for.
    tokens = read_json(f"{commands.data_dir(run.setting.data)}/tokens.json")
    ratio = tokens["valid_target"][record["unit"]] / tokens["valid_target"]["byte"]
    bits = {updates: v.nll * ratio for updates, v in log.validations.items()}
    steps = list(map(join, commands.data_steps(run.setting)))
    steps += [
        join(record["command"]),
        join(commands.average(commands.plan.trained_run(run))),
    ]
    steps += [
        join(read_json(f"{folder}/{test.name}.json")["command"])
        for test in run.setting.tests
    ]
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
