"""Figures of the report as inline SVG, in colours that fit a light and a dark page."""

import io
import logging
import math
import re
from dataclasses import dataclass
from typing import Sequence

import matplotlib

from .palette import dash_of, style_of

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

# Otherwise every font it looks at is a line where fairseq has set up logging.
logging.getLogger("matplotlib").setLevel(logging.WARNING)

#: Inches of a figure that has the page's width, and of one of two beside each other, so
#: that letters of both are equal.
WIDE, HALF = 11, 5.4
# And their height, without the lines of the legend.
HEIGHT, LEGEND_LINE = 3.2, 0.18
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


@dataclass
class Line:
    """A line of a chart."""

    label: str
    colour: str
    marker: str
    dash: str
    xs: Sequence[float]
    ys: Sequence[float]


def system_line(system, xs, ys, seed=None, seeds=()):
    """A line in a system's colour; with ``seed``, one of ``seeds``, in that one's dash."""
    style = style_of(system)
    dash = "-" if seed is None else dash_of(seed, seeds)
    label = system if seed is None or len(seeds) < 2 else f"{system}, seed {seed}"
    return Line(label, style.colour, style.marker, dash, xs, ys)


def line_chart(lines, x_label, y_label, wide=False, categories=None, falls=False):
    """A chart of lines.

    Args:
        lines (list of Line)
        x_label, y_label (str)
        wide (bool): it has the page's width.
        categories (list of str, optional): names of the x values 0, 1, 2 ...
        falls (bool): the lines fall steeply at first: the figure ends above the highest
            value after the first fifth.

    Returns:
        str: an ``<svg>`` element.
    """
    columns = 5 if wide else 2
    height = HEIGHT + LEGEND_LINE * math.ceil(len(lines) / columns)
    with pyplot.rc_context(STYLE):
        size = (WIDE if wide else HALF, height)
        figure, axes = pyplot.subplots(figsize=size, layout="constrained")
        for line in lines:
            axes.plot(
                *(line.xs, line.ys, line.dash),
                **{"color": line.colour, "marker": line.marker, "label": line.label},
                **{"markersize": 4, "linewidth": 1.5},
                markevery=max(1, len(line.xs) // 10),
            )
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        if categories is not None:
            axes.set_xticks(range(len(categories)), categories)
        if falls:
            axes.set_ylim(top=_highest_later(lines))
        axes.grid(alpha=0.2)
        axes.spines[["top", "right"]].set_visible(False)
        # Below, where it hides no line however many there are.
        figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
        return _to_svg(figure)


def dot_chart(rows, marks, x_label):
    """A chart of a line a row, with a dot a value.

    Args:
        rows (dict): name -> list of float, a value a mark.
        marks (list of tuple): label and style (Style) of each.
        x_label (str)

    Returns:
        str: an ``<svg>`` element of the page's width.
    """
    with pyplot.rc_context(STYLE):
        size = (WIDE, 1.2 + 0.3 * len(rows))
        figure, axes = pyplot.subplots(figsize=size, layout="constrained")
        places = range(len(rows), 0, -1)
        for place, values in zip(places, rows.values()):
            axes.plot([min(values), max(values)], [place] * 2, color=INK, alpha=0.3)
        for (label, style), values in zip(marks, zip(*rows.values())):
            axes.plot(
                *(values, places, style.marker),
                **{"color": style.colour, "label": label, "linestyle": ""},
            )
        axes.set_yticks(places, list(rows))
        axes.set_xlabel(x_label)
        axes.grid(alpha=0.2)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(
            loc="outside lower center", ncols=len(marks), frameon=False, fontsize=8
        )
        return _to_svg(figure)


def _highest_later(lines):
    """The highest y of lines after their first fifth, and a little more."""
    start = max(max(line.xs) for line in lines) / 5
    later = [y for line in lines for x, y in zip(line.xs, line.ys) if x >= start]
    lowest = min(min(line.ys) for line in lines)
    return max(later) + 0.1 * (max(later) - lowest or 1)


def _to_svg(figure):
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    pyplot.close(figure)
    svg = re.search(r"<svg.*</svg>", text.getvalue(), re.DOTALL)[0]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # The page decides how wide it is.
    svg = re.sub(r'^<svg [^>]*?(viewBox="[^"]*")[^>]*>', r'<svg role="img" \1>', svg)
    return svg.replace(INK, "currentColor")
