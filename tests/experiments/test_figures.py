"""Colours of systems and sizes of figures, by their SVG."""

import re
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

from scripts.experiments.grid.config import SYSTEMS_FILE
from scripts.experiments.report import charts, figures
from scripts.experiments.report.palette import NGRAMS, SYSTEMS, UNKNOWN, style_of


def line(system="byte_dense", **kwargs):
    return figures.system_line(system, [1, 2], [3, 4], **kwargs)


def view_box(svg):
    """Width and height of a figure, in points."""
    return list(map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups()))


def test_a_chart_is_one_svg_in_the_pages_colour():
    svg = figures.line_chart([line("a & b")], "x", "y")
    root = ElementTree.fromstring(svg.replace("xlink:", ""))
    assert root.attrib.keys() == {"role", "viewBox"}
    assert "currentColor" in svg
    assert figures.INK not in svg
    assert "a &amp; b" in svg
    assert not re.search(r"https?:", svg)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_system_has_its_colour_whatever_stands_beside_it(system):
    others = [line(name) for name in SYSTEMS if name != system]
    for lines in ([line(system)], [*others, line(system)]):
        assert SYSTEMS[system].colour in figures.line_chart(lines, "x", "y")
    assert SYSTEMS[system].colour not in figures.line_chart(others, "x", "y")


def test_every_system_has_a_style_of_its_own():
    names = yaml.safe_load(SYSTEMS_FILE.read_text("utf-8"))
    assert set(names) <= set(SYSTEMS)
    styles = SYSTEMS.values()
    for values in ({s.colour for s in styles}, {s.marker for s in styles}):
        assert len(values) == len(SYSTEMS)
    assert not {s.colour for s in styles} & set(NGRAMS)


def test_an_unknown_system_is_grey_with_a_mark_of_its_name():
    assert style_of("new") == style_of("new")
    assert style_of("new").colour == style_of("newer").colour == UNKNOWN
    assert style_of("new").marker != style_of("newest").marker


def test_seeds_are_dashes_of_one_colour():
    first, second = (line(seed=seed, seeds=[1, 5]) for seed in (1, 5))
    assert (first.colour, first.marker) == (second.colour, second.marker)
    assert first.dash != second.dash
    assert first.label == "byte_dense, seed 1"
    assert line(seed=1, seeds=[1]).label == "byte_dense"
    dashed = [figures.line_chart([x], "x", "y").count("dasharray") for x in (first, second)]
    assert dashed[0] < dashed[1]


@pytest.mark.parametrize(("count", "wide"), [(1, True), (2, False), (3, False)])
def test_a_figure_that_is_alone_has_the_pages_width(count, wide):
    trainings = [
        SimpleNamespace(
            run=SimpleNamespace(setting=SimpleNamespace(name=k), system="char", seed=1),
            bits_per_byte={10: 2.0, 20: 1.0},
            log=SimpleNamespace(seconds={}, validations={}),
        )
        for k in range(count)
    ]
    results = SimpleNamespace(trainings=trainings, seeds=[1], columns=[])
    settings = [t.run.setting for t in trainings]
    sections = charts.draw_sections(results, settings, {}, 1)
    assert list(sections) == ["Learning curves"]
    (found,) = sections.values()
    assert [caption for caption, _ in found] == [f"{k}, by updates" for k in range(count)]
    inches = figures.WIDE if wide else figures.HALF
    for _, svg in found:
        assert view_box(svg)[0] == pytest.approx(inches * 72)


def test_a_steep_beginning_does_not_flatten_the_rest():
    bits = [9.0, 3.0, 2.0, 1.5, 1.0]
    made = figures.system_line("char", [10, 20, 30, 40, 100], bits)
    assert figures._highest_later([made]) == pytest.approx(3.0 + 0.1 * 2)
    steep, whole = (figures.line_chart([made], "x", "y", falls=f) for f in (True, False))
    assert ">8</text>" in whole
    assert ">8</text>" not in steep


def test_curves_by_update_and_by_second_and_shares_beside_weights():
    validations = {u: SimpleNamespace(ngram_weights={1: 0.5}, ngram_shares={1: u / 40})
                   for u in (10, 20)}  # fmt: skip
    training = SimpleNamespace(
        run=SimpleNamespace(setting=SimpleNamespace(name="all"), system="char", seed=1),
        bits_per_byte={10: 2.0, 20: 1.0},
        log=SimpleNamespace(seconds={10: 5.0, 20: 9.0}, validations=validations),
    )
    results = SimpleNamespace(trainings=[training], seeds=[1], columns=[])
    sections = charts.draw_sections(results, [training.run.setting], {}, 1)
    assert [[caption for caption, _ in found] for found in sections.values()] == [
        ["all, by updates", "all, by seconds"],
        ["all, char, seed 1: weights", "all, char, seed 1: shares"],
    ]


# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear sRGB.
BLINDNESS = {
    "none": np.eye(3),
    "red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998]],
    "green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
              [-0.011820, 0.042940, 0.968881]],
}  # fmt: skip
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                   [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
LINEAR = {
    name: np.array([((c / 255 + 0.055) / 1.055) ** 2.4 if c > 10 else c / 255 / 12.92
                    for c in bytes.fromhex(style.colour[1:])])
    for name, style in SYSTEMS.items()
}  # fmt: skip


def lab(linear):
    x = TO_XYZ @ linear / [0.95047, 1, 1.08883]
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_colours_stand_out_on_white_and_on_black():
    for linear in LINEAR.values():
        luminance = TO_XYZ[1] @ linear
        assert min(1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05) >= 3


@pytest.mark.parametrize("matrix", BLINDNESS.values(), ids=BLINDNESS)
def test_colours_are_told_apart(matrix):
    seen = [lab(np.clip(matrix @ linear, 0, 1)) for linear in LINEAR.values()]
    for i, first in enumerate(seen):
        for j, second in enumerate(seen[:i]):
            least = 24 if max(i, j) < 7 else 12
            assert np.linalg.norm(first - second) >= least, (i, j)
