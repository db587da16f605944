"""Scores and examples as text for a terminal."""

from .references import reference_sets


def format_scores(rows):
    """Scores of :func:`score_systems` as lines.

    Args:
        rows (list of dict)

    Returns:
        str: one system gives a line and a signature a metric; several give a line
        a system, then the signatures.
    """
    metrics = [name for name in rows[0] if name != "system"]
    signatures = {name: rows[0][name]["signature"] for name in metrics}
    if len(rows) == 1:
        return "\n".join(
            f"{rows[0][name]['text']}\n  signature: {signatures[name]}" for name in metrics
        )
    width = max(len(row["system"]) for row in rows)
    lines = []
    for row in rows:
        cells = [f"{name} {_cell(row[name])}" for name in metrics]
        lines.append(f"{row['system']:<{width}}  " + "   ".join(cells))
    lines += [f"{name} signature: {signatures[name]}" for name in metrics]
    lines.append(
        f"Baseline: {rows[0]['system']}. In brackets: mean and 95% confidence interval of "
        "the paired bootstrap. *: p < 0.05 against the baseline."
    )
    return "\n".join(lines)


def format_test_sets(scores):
    """Scores of :func:`~.macro_average.score_test_sets` as lines.

    Args:
        scores (dict)

    Returns:
        str: a block for each test set and one for the average.
    """
    blocks = [f"== {name}\n{format_scores(rows)}" for name, rows in scores["sets"].items()]
    lines = [f"== average of {', '.join(scores['averaged'])}"]
    width = max(len(row["system"]) for row in scores["average"])
    for row in scores["average"]:
        cells = [f"{name} {_cell(row[name])}" for name in row if name != "system"]
        lines.append(f"{row['system']:<{width}}  " + "   ".join(cells))
    first = scores["average"][0]
    lines += [f"{n} signature: {first[n]['signature']}" for n in first if n != "system"]
    return "\n".join([*blocks, "\n".join(lines)])


def _cell(score):
    text = f"{score['score']:.2f}"
    if "mean" in score:
        text += f" [{score['mean']:.2f} ± {score['ci']:.2f}]"
    if "p_value" in score:
        text += f" (p = {score['p_value']:.4f})" + "*" * (score["p_value"] < 0.05)
    return text


def format_examples(hypotheses, references, count, sources=None):
    """``count`` sentences, evenly spread over the test set, beside their references.

    Args:
        hypotheses (list of str)
        references (list of str, or list of list of str): one or several.
        count (int)
        sources (list of str, optional)

    Returns:
        str
    """
    blocks = []
    total = len(hypotheses)
    for k in range(min(count, total)):
        i = (2 * k + 1) * total // (2 * min(count, total))
        lines = [f"sentence {i + 1} of {total}"]
        if sources is not None:
            lines.append(f"  source      {sources[i]}")
        lines.append(f"  translation {hypotheses[i]}")
        lines += [f"  reference   {given[i]}" for given in reference_sets(references)]
        blocks.append("\n".join(lines))
    return "\n".join(blocks)
