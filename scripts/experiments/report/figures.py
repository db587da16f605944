"""Figures of the report as inline SVG, in colours that fit a light and a dark page."""

import io
import logging
import re

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

# Otherwise every font it looks at is a line where fairseq has set up logging.
logging.getLogger("matplotlib").setLevel(logging.WARNING)

# Okabe and Ito's palette, of which every colour is told apart on white and on black.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#999933")
DASHES = ("-", "--", ":", "-.")
# Stands for the page's text colour until the figure is text.
INK = "#010203"
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "fairseq_bytefusion",
    "font.family": "sans-serif",
    "font.size": 10,
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"),
        INK,
    ),
}


def line_chart(series, x_label, y_label, categories=None):
    """Lines, one a series.

    Args:
        series (list of tuple): (label, group, xs, ys); lines of a group share a colour and
            differ in dashes.
        x_label, y_label (str)
        categories (list of str, optional): names of the x values 0, 1, 2 ...

    Returns:
        str: an ``<svg>`` element.
    """
    groups = list(dict.fromkeys(group for _, group, _, _ in series))
    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(figsize=(5, 3.4), layout="constrained")
        drawn = dict.fromkeys(groups, 0)
        for label, group, xs, ys in series:
            axes.plot(
                *(xs, ys),
                color=COLOURS[groups.index(group) % len(COLOURS)],
                linestyle=DASHES[drawn[group] % len(DASHES)],
                **{"marker": "o", "markersize": 3, "linewidth": 1.5, "label": label},
            )
            drawn[group] += 1
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        if categories is not None:
            axes.set_xticks(range(len(categories)), categories)
        axes.grid(alpha=0.2)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8)
        return _to_svg(figure)


def _to_svg(figure):
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    pyplot.close(figure)
    svg = re.search(r"<svg.*</svg>", text.getvalue(), re.DOTALL)[0]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # The page decides how wide it is.
    svg = re.sub(r'^<svg [^>]*?(viewBox="[^"]*")[^>]*>', r'<svg role="img" \1>', svg)
    return svg.replace(INK, "currentColor")


def learning_curves(trainings):
    """Validation loss by update: one line a run.

    Args:
        trainings (list of Training): of one setting.

    Returns:
        str: ``<svg>``
    """
    series = [
        (_name(t.run), t.run.system, list(t.bits_per_byte), list(t.bits_per_byte.values()))
        for t in trainings
    ]
    return line_chart(series, "updates", "validation loss, bits a byte")


def _name(run):
    return f"{run.system}, seed {run.seed}"


def ngram_curves(training):
    """The n-gram weights of an ncf run by update; None for other systems."""
    validations = training.log.validations
    sizes = next(iter(validations.values())).ngram_weights
    if not sizes:
        return None
    series = [
        (
            f"n = {n}",
            n,
            list(validations),
            [v.ngram_weights[n] for v in validations.values()],
        )
        for n in sizes
    ]
    return line_chart(series, "updates", "weight λ of the n-grams")


def length_chart(labels, scores):
    """BLEU by source length, of :func:`~.sentences.bleu_by_length`."""
    series = [
        (system, system, range(len(labels)), values) for system, values in scores.items()
    ]
    return line_chart(series, "source length in bytes (quarters)", "BLEU", labels)


def few_shot_chart(results, language):
    """BLEU of a language's test set by the number of pairs fine-tuned on."""
    columns = [c for c in results.columns if c.test == language and c.size is not None]
    series = [
        (
            f"{row.system}, seed {row.seed}",
            row.system,
            [column.size for column in columns],
            [row.scores[c.setting, c.test]["BLEU"]["score"] for c in columns],
        )
        for row in results.rows
    ]
    return line_chart(series, "pairs fine-tuned on", "BLEU")
