"""Tables of an experiment: Markdown for people, CSV for programs."""

import csv
import io

METRICS = ("BLEU", "chrF2")
SIGNIFICANT = 0.05
FIELDS = (
    *("experiment", "setting", "test", "system", "seed", "metric"),
    *("score", "mean", "ci", "p_value", "signature"),
)


def has_average(results):
    """Whether there is more than one test set to average."""
    return sum(column.averaged for column in results.columns) > 1


def baseline_of(results, row):
    """The baseline's row of the same seed."""
    return next(
        r for r in results.rows if (r.system, r.seed) == (results.spec.baseline, row.seed)
    )


def format_score(score, baseline):
    """Two decimals, and a star where it differs from the baseline's (p < 0.05).

    Equal scores get none: the bootstrap's p-value means nothing where all resamples agree.
    """
    differs = score["score"] != baseline["score"]
    return f"{score['score']:.2f}" + "*" * (
        differs and score.get("p_value", 1) < SIGNIFICANT
    )


def score_rows(results, metric):
    """Header and rows of a metric's table, as lists of str."""
    header = ["system", "seed", *(column.label for column in results.columns)]
    header += ["average"] * has_average(results)
    keys = [(column.setting, column.test) for column in results.columns]
    rows = []
    for row in results.rows:
        base = baseline_of(results, row)
        cells = [format_score(row.scores[k][metric], base.scores[k][metric]) for k in keys]
        if has_average(results):
            cells.append(format_score(row.average[metric], base.average[metric]))
        rows.append([row.system, str(row.seed), *cells])
    return header, rows


def size_rows(results):
    """Header and rows of the table of sizes and speeds, as lists of str."""
    header = ["system", "seed", "parameters", "training", "decoding"]
    rows = [
        [row.system, str(row.seed), f"{row.parameters:,}", *map(_speed, speeds)]
        for row in results.rows
        for speeds in [(row.train_speed, row.decode_speed)]
    ]
    return header, rows


def _speed(sentences):
    return "not measured" if sentences is None else f"{sentences:.1f} sentences/s"


def signatures(results):
    """Signature of each metric."""
    column, row = results.columns[0], results.rows[0]
    cells = row.scores[column.setting, column.test]
    return {metric: cells[metric]["signature"] for metric in METRICS}


def note(results):
    """What a reader of the scores must know, as one sentence each."""
    spec = results.spec
    sentences = [
        f"Every system: {results.spec.updates} updates.",
        f"*: p < {SIGNIFICANT} against {spec.baseline} of one seed (paired bootstrap).",
    ]
    if has_average(results):
        several = len({c.setting for c in results.columns if c.averaged}) > 1
        sentences.append(
            "The average spans several trainings and is not tested."
            if several
            else "The test of the average resamples every test set."
        )
    if any("(seen)" in column.label for column in results.columns):
        sentences.append("(seen): the training's own language or domain; not averaged.")
    if any(column.size is not None for column in results.columns):
        sentences.append("After a language: pairs fine-tuned on; 0 is zero-shot.")
    return sentences


def to_markdown(results):
    """All tables of an experiment.

    Args:
        results (Results)

    Returns:
        str
    """
    blocks = []
    signature = signatures(results)
    for metric in METRICS:
        blocks.append(f"{metric} (`{signature[metric]}`)")
        blocks.append(_markdown(*score_rows(results, metric)))
    blocks.append(" ".join(note(results)).replace("*:", "\\*:"))
    blocks.append(_markdown(*size_rows(results)))
    return "\n\n".join(blocks) + "\n"


def _markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace("*", "\\*")


def to_csv(results):
    """Every score, a line each.

    Args:
        results (Results)

    Returns:
        str
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for row in results.rows:
        keys = [(column.setting, column.test) for column in results.columns]
        cells = {key: row.scores[key] for key in keys}
        if has_average(results):
            cells["all", "average"] = row.average
        for (setting, test), scores in cells.items():
            for metric in METRICS:
                writer.writerow(
                    {
                        **{"experiment": results.experiment, "setting": setting},
                        **{"test": test, "system": row.system, "seed": row.seed},
                        **{"metric": metric, **scores[metric]},
                    }
                )
    return text.getvalue()
