"""Everything that was measured, for programs."""

import csv
import io
from itertools import combinations

from .metrics import METRICS
from .rows import AVERAGE, p_value_of
from .table import table_keys

SCORES = (
    *("experiment", "setting", "test", "system", "seed", "metric"),
    *("score", "mean", "ci", "p_value", "signature", "trained"),
)
COMPARISONS = (
    *("experiment", "setting", "test", "metric", "seed"),
    *("system", "other", "score", "other_score", "p_value", "counts", "trained"),
)
CURVES = ("experiment", "setting", "system", "seed", "updates", "seconds", "bits_per_byte")


def _text(fields, rows):
    """A header and rows (dict) as text."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fields, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def scores(results):
    """``table.csv``: every score, a line each.

    Args:
        results (Results)

    Returns:
        str
    """
    return _text(SCORES, _scores(results))


def _scores(results):
    for row in results.rows:
        trained = "yes" if row.trained.is_to_its_end else "no"
        for setting, test in table_keys(results):
            for metric in METRICS:
                yield {
                    **{"experiment": results.experiment, "setting": setting, "test": test},
                    **{"system": row.system, "seed": row.seed, "metric": metric},
                    **row.scores[setting, test][metric],
                    "trained": trained,
                }


def comparisons(results):
    """``comparisons.csv``: each pair of systems of a seed, test set and metric.

    ``counts``: ``average``, or whether a test set is one of those that are about the
    question; ``trained``: whether both are trained to their ends.

    Args:
        results (Results)

    Returns:
        str
    """
    return _text(COMPARISONS, _comparisons(results))


def _comparisons(results):
    counts = {AVERAGE: "average"}
    for column in results.columns:
        is_about = column.averaged or column.size
        counts[column.setting, column.test] = "yes" if is_about else "no"
    for row, other in combinations(results.rows, 2):
        if row.seed != other.seed:
            continue
        trained = [r.trained.is_to_its_end for r in (row, other)]
        for setting, test in table_keys(results):
            for metric in METRICS:
                cells = [r.scores[setting, test][metric] for r in (row, other)]
                yield {
                    **{"experiment": results.experiment, "setting": setting, "test": test},
                    **{"metric": metric, "seed": row.seed},
                    **{"system": row.system, "other": other.system},
                    **{"score": cells[0]["score"], "other_score": cells[1]["score"]},
                    "p_value": p_value_of(row, other, (setting, test), metric),
                    "counts": counts[setting, test],
                    "trained": "yes" if all(trained) else "no",
                }


def curves(results):
    """``curves.csv``: every validation loss, a line each.

    Args:
        results (Results)

    Returns:
        str
    """
    return _text(CURVES, _curves(results))


def _curves(results):
    for training in results.trainings:
        run, seconds = training.run, training.log.seconds
        for updates, bits in training.bits_per_byte.items():
            yield {
                **{"experiment": results.experiment, "setting": run.setting.name},
                **{"system": run.system, "seed": run.seed, "updates": updates},
                **{"seconds": seconds.get(updates), "bits_per_byte": bits},
            }
