"""The rows of an experiment's tables: a system trained with a seed, scored and judged."""

from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

import numpy as np

from ..steps.recording import read_json
from .metrics import METRICS
from .reference_bits import reference_bits
from .samples import Sampler, difference, mean_of
from .sentences import read_translations
from .trained import Trained, judge

AVERAGE = ("all", "average")


@dataclass
class Row:
    """A system and seed.

    ``scores``: (setting, test) -> metric -> cell, which is what ``bytefusion score`` says,
    and under ``AVERAGE`` the mean of those that count; ``resampled``: likewise, float64[R].
    ``limits``: a and b of each test set, whose translations have at most a x source + b
    symbols; ``at_limit``: translations, of ``translated``, that are as long as that;
    ``unknown``: symbols of the references that its vocabulary lacks.
    """

    system: str
    seed: int
    scores: Dict[Tuple[str, str], dict] = field(default_factory=dict)
    resampled: Dict[Tuple[str, str], dict] = field(default_factory=dict)
    trained: Optional[Trained] = None
    limits: List[Tuple[float, int]] = field(default_factory=list)
    at_limit: int = 0
    translated: int = 0
    unknown: int = 0
    parameters: int = 0
    train_seconds: Optional[float] = None
    train_speed: Optional[float] = None
    decode_speed: Optional[float] = None


def read_rows(plan, commands, settings, shown, columns):
    """Rows of an experiment.

    Args:
        plan (Plan), commands (Commands)
        settings (list of Setting): of the experiment.
        shown (list of Setting): these and those whose scores are shown beside.
        columns (list of Column)

    Returns:
        list of Row

    Raises:
        OSError, ValueError, KeyError: a step's output is missing or broken.
    """
    rows = {(r.system, r.seed): Row(r.system, r.seed) for r in plan.runs_of(settings[0])}
    for setting in shown:
        for seed in plan.seeds_of(settings[0].experiment):
            _add_scores(plan, commands, setting, seed, rows)
    for row in rows.values():
        _average(row, [(c.setting, c.test) for c in columns if c.averaged])
    return list(rows.values())


def _add_scores(plan, commands, setting, seed, rows):
    """Add the scores of a setting's runs of a seed."""
    scored = read_json(commands.scores(setting, seed))["sets"]
    seen = training_words(plan, commands, setting)
    for test, translations in read_translations(plan, commands, setting, seed).items():
        sampler = Sampler(translations.references, seen, plan.grid.bootstrap)
        for k, run in enumerate(plan.runs_of(setting, seed)):
            if (row := rows.get((run.system, seed))) is None:
                continue  # a zero-shot model that is not fine-tuned
            log = commands.score_log(run, test)
            bits, sizes, unknown = reference_bits(log, commands.reference(setting, test))
            key, hypotheses = (setting.name, test.name), translations.hypotheses[run.system]
            row.resampled[key], cells = sampler.resampled(hypotheses, bits, sizes)
            row.scores[key] = {**scored[test.name][k], **cells}
            row.unknown += unknown
            record = read_json(f"{commands.run_dir(run)}/{test.name}.json")
            row.limits.append(tuple(record["limit"].values()))
            row.at_limit += len(record["at_limit"])
            row.translated += len(hypotheses)


def training_words(plan, commands, setting):
    """set of str: words of the target side that a setting's models have seen."""
    found = set()
    for each in plan.trained_settings([setting]):
        with open(commands.words_file(each), encoding="utf-8", newline="\n") as file:
            found.update(line.rstrip("\n") for line in file)
    return found


def _average(row, keys):
    """Add the average of the test sets that count, where there are several."""
    if len(keys) < 2:
        return
    row.scores[AVERAGE], row.resampled[AVERAGE] = {}, {}
    for name in METRICS:
        sides = [(row.scores[key][name], row.resampled[key][name]) for key in keys]
        cell, resampled = mean_of(sides)
        row.scores[AVERAGE][name], row.resampled[AVERAGE][name] = cell, resampled


def judge_rows(rows, trainings, columns):
    """Add to each row whether it is trained to its end.

    Its BLEU is that on what it was trained for: the seen languages or domains where the
    experiment has some, else all.

    Args:
        rows (list of Row), trainings (list of Training), columns (list of Column)
    """
    seen = [c for c in columns if not c.averaged and c.size is None]
    trained_on = seen or [c for c in columns if c.averaged or c.size]
    keys = [(c.setting, c.test) for c in trained_on]
    for row in rows:
        mine = [
            t for t in trainings if (t.run.system, t.run.seed) == (row.system, row.seed)
        ]
        bleu = np.mean([row.scores[key]["BLEU"]["score"] for key in keys])
        row.trained = judge([t.bits_per_byte for t in mine], float(bleu))


def add_p_values(rows, baseline):
    """Add to every cell how likely its difference from the baseline's is by chance.

    Args:
        rows (list of Row)
        baseline (str): the system that the others of a seed are compared with.
    """
    for row in rows:
        base = row_of(rows, baseline, row.seed)
        for key, cells in row.scores.items():
            for name, cell in cells.items():
                if row is not base and name in METRICS:
                    cell.setdefault("p_value", p_value_of(row, base, key, name))


def row_of(rows, system, seed):
    """The row of a system and seed; None where there is none."""
    return next((r for r in rows if (r.system, r.seed) == (system, seed)), None)


def p_value_of(row, other, key, metric):
    """How likely the difference of two rows of a seed is by chance, or None.

    Args:
        row, other (Row)
        key (tuple of str): (setting, test), or ``AVERAGE``.
        metric (str)
    """
    sides = [(r.scores[key][metric], r.resampled[key][metric]) for r in (row, other)]
    return difference(*sides)
