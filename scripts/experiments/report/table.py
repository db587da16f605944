"""Tables of an experiment: rows of text for the page and for Markdown."""

import numpy as np

from .metrics import METRICS, SIGNIFICANT
from .outcomes import UNCLEAR, agreed, outcome
from .rows import AVERAGE, row_of
from .trained import FLAT_GAIN, LAST_SHARE, LEAST_BLEU

DIFFERS, CONFIRMED, UNTRAINED = "*", "†", "‡"


def table_keys(results):
    """(setting, test) of the columns of scores, and ``AVERAGE`` where there is one."""
    keys = [(column.setting, column.test) for column in results.columns]
    return keys + [AVERAGE] * has_average(results)


def has_average(results):
    """Whether there is more than one test set to average."""
    return sum(column.averaged for column in results.columns) > 1


def comparable(results, row):
    """Whether a row and the baseline of its seed may be compared."""
    base = row_of(results.rows, results.spec.baseline, row.seed)
    return row.trained.is_to_its_end and base.trained.is_to_its_end


def outcome_of(results, row, key, metric):
    """What the comparison of a row with the baseline of its seed says."""
    base = row_of(results.rows, results.spec.baseline, row.seed)
    if row is base or not comparable(results, row):
        return UNCLEAR
    cell, other = row.scores[key][metric], base.scores[key][metric]
    return outcome(metric, cell["score"], other["score"], cell.get("p_value"))


def score_rows(results, metric):
    """Header and rows of a metric's table, as lists of str: each seed, then their mean."""
    header = ["system", "seed", *(column.label for column in results.columns)]
    header += ["average"] * has_average(results)
    rows = []
    for system in dict.fromkeys(row.system for row in results.rows):
        mine = [row for row in results.rows if row.system == system]
        for row in mine:
            name = system + f" {UNTRAINED}" * (not row.trained.is_to_its_end)
            cells = [_cell(results, [row], key, metric) for key in table_keys(results)]
            rows.append([name, str(row.seed), *cells])
        if len(mine) > 1:
            cells = [_cell(results, mine, key, metric) for key in table_keys(results)]
            rows.append([system, "mean", *cells])
    return header, rows


def _cell(results, rows, key, metric):
    """The mean score of rows of a system, with the mark of what all of them say."""
    scores = [row.scores[key][metric]["score"] for row in rows]
    if None in scores:
        return "none"
    found = agreed([outcome_of(results, row, key, metric) for row in rows])
    mark = DIFFERS if len(rows) == 1 else CONFIRMED
    return METRICS[metric].shown.format(np.mean(scores)) + mark * (found != UNCLEAR)


def trained_rows(results):
    """Header and rows of the table of how far each row is trained, as lists of str."""
    header = ["system", "seed", f"gain in the last {LAST_SHARE:.0%}", "BLEU"]
    header.append("trained to its end")
    rows = []
    for row in results.rows:
        found = row.trained
        says = "yes" if found.is_to_its_end else f"no: {'; '.join(found.lacks)}"
        numbers = f"{found.gain:.1%}", f"{found.bleu:.2f}"
        rows.append([row.system, str(row.seed), *numbers, says])
    return header, rows


def size_rows(results):
    """Header and rows of the table of sizes, speeds and limits, as lists of str."""
    header = ["system", "seed", "parameters", "trained for", "training", "decoding"]
    header += ["length limit", "reached it"]
    rows = [
        [
            *(row.system, str(row.seed), f"{row.parameters:,}"),
            *(_seconds(row.train_seconds), _speed(row.train_speed)),
            _speed(row.decode_speed),
            *(_limit(row.limits), f"{row.at_limit} of {row.translated}"),
        ]
        for row in results.rows
    ]
    return header, rows


def _speed(sentences):
    return "not measured" if sentences is None else f"{sentences:.1f} sentences/s"


def _seconds(seconds):
    return "not measured" if seconds is None else f"{seconds:,.0f} s"


def _limit(limits):
    """The limits (a, b) of a row's translations, from the least to the most."""
    a, b = (sorted({f"{number:g}" for number in each}, key=float) for each in zip(*limits))
    return f"{'–'.join(a[:1] + a[1:][-1:])} x source + {'–'.join(b[:1] + b[1:][-1:])}"


def signatures(results):
    """Signature of each metric."""
    column, row = results.columns[0], results.rows[0]
    cells = row.scores[column.setting, column.test]
    return {metric: cells[metric]["signature"] for metric in METRICS}


def note(results):
    """What a reader of the scores must know, as one sentence each."""
    baseline = results.spec.baseline
    sentences = [
        _updates(results),
        f"{DIFFERS}: p < {SIGNIFICANT} against {baseline} of one seed (paired bootstrap "
        "over sentences).",
    ]
    if len(results.seeds) > 1:
        sentences.append(
            f"{CONFIRMED}: confirmed, every seed differs from {baseline} of that seed so, "
            "all in one direction."
        )
    if not all(row.trained.is_to_its_end for row in results.rows):
        sentences.append(
            f"{UNTRAINED}: not trained to its end, so not compared: the validation loss "
            f"became {FLAT_GAIN:.0%} better or more in the last {LAST_SHARE:.0%} of the "
            f"updates, or BLEU on what it was trained for is below {LEAST_BLEU}."
        )
    if has_average(results):
        sentences.append("The test of the average resamples every test set.")
    if any("(seen)" in column.label for column in results.columns):
        sentences.append("(seen): the training's own language or domain; not averaged.")
    if any(column.size is not None for column in results.columns):
        sentences.append("After a language: pairs fine-tuned on; 0 is zero-shot.")
    unknown = {row.system: row.unknown for row in results.rows if row.unknown}
    if unknown:
        counts = ", ".join(f"{system} {count}" for system, count in unknown.items())
        sentences.append(
            "Symbols of the references that a vocabulary lacks, each one symbol and so "
            f"cheap in bits: {counts}."
        )
    return sentences


def _updates(results):
    """How long the systems are trained; the least that one was where that is less."""
    wanted = results.spec.updates
    least = min((max(t.bits_per_byte) for t in results.trainings), default=wanted)
    if least < wanted:
        return f"Every system: at most {wanted} updates, and at least {least}."
    return f"Every system: {wanted} updates."


def to_markdown(results):
    """All tables of an experiment.

    Args:
        results (Results)

    Returns:
        str
    """
    blocks = []
    signature = signatures(results)
    for name, metric in METRICS.items():
        blocks.append(f"{metric.title} (`{signature[name]}`)")
        blocks.append(_markdown(*score_rows(results, name)))
    blocks.append(" ".join(note(results)).replace(f"{DIFFERS}:", f"\\{DIFFERS}:"))
    blocks.append(_markdown(*trained_rows(results)))
    blocks.append(_markdown(*size_rows(results)))
    return "\n\n".join(blocks) + "\n"


def _markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace("*", "\\*")
