"""Hand-made results of an experiment."""

from types import SimpleNamespace

import numpy as np

from scripts.experiments.pairs.plan import Column
from scripts.experiments.report.collect import Results
from scripts.experiments.report.metrics import METRICS
from scripts.experiments.report.rows import AVERAGE, Row, add_p_values
from scripts.experiments.report.trained import Trained

TESTS = ("de", "fr")


def scored(metric, value):
    """A cell of a metric: BLEU is ``value``, the others are better where that is."""
    score = 10 - value / 10 if METRICS[metric].better < 0 else value
    return {"score": score, "signature": f"{metric}|tok:13a"}


def row(system, seed, values, spread=0.1, **trained):
    """A row of ``values`` (BLEU of each test set); resamples lie ``spread`` around."""
    found = Row(system, seed, parameters=1234567, decode_speed=12.34, limits=[(2.0, 10)])
    found.trained = Trained(**{"gain": 0.001, "bleu": 20.0, **trained})
    noise = np.random.default_rng([seed, *system.encode()]).normal(0, spread, 200)
    keys = [*(("all", test) for test in TESTS), AVERAGE]
    for key, value in zip(keys, [*values, float(np.mean(values))]):
        found.scores[key] = {name: scored(name, value) for name in METRICS}
        found.resampled[key] = {
            # Of bits a tenth, as of their scores.
            name: cell["score"] + noise * (0.1 if METRICS[name].better < 0 else 1)
            for name, cell in found.scores[key].items()
        }
    return found


def results(*rows, **more):
    """Results of ``rows`` (Row), compared with byte_dense."""
    columns = [Column("all", test, test, True) for test in TESTS]
    add_p_values(rows, "byte_dense")
    spec = SimpleNamespace(baseline="byte_dense", updates=2400)
    given = {"columns": columns, "trainings": [], "stats": {}, **more}
    return Results("many_to_one", spec, rows=list(rows), **given)
