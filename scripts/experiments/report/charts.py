"""What the report shows as figures, by section."""

from functools import partial

from .figures import Line, line_chart, system_line
from .palette import NGRAMS
from .sentences import bleu_by_length

BITS_LABEL = "validation loss, bits a byte"
MARKERS = "o^sDvP"


def draw_sections(results, settings, translations, seed):
    """All figures. One that is alone in its section has the page's width.

    Args:
        results (Results)
        settings (list of Setting): of the experiment.
        translations (dict): Setting -> list of Translations, of ``seed`` (int).

    Returns:
        dict: title -> list of (caption, svg)
    """
    sections = {
        "Few-shot curves": few_shot(results),
        "Learning curves": learning(results, settings),
        "BLEU by source length": by_length(translations, seed),
        "Weights of the n-grams (ncf)": ngrams(results),
    }
    return {
        title: [(caption, draw(wide=len(charts) == 1)) for caption, draw in charts]
        for title, charts in sections.items()
        if charts
    }


def learning(results, settings):
    """Validation loss of each setting, by update and by seconds of training."""
    charts = []
    for setting in settings:
        mine = [t for t in results.trainings if t.run.setting == setting]
        axes = [("updates", lambda t: {u: u for u in t.bits_per_byte})]
        if all(t.log.seconds for t in mine):
            axes.append(("seconds in the training step", lambda t: t.log.seconds))
        for label, place in axes:
            lines = [_curve(t, place(t), results.seeds) for t in mine]
            chart = partial(line_chart, lines, label, BITS_LABEL, falls=True)
            charts.append((f"{setting.name}, by {label.split()[0]}", chart))
    return charts


def _curve(training, places, seeds):
    """A Line of a training; ``places``: updates -> x."""
    run, bits = training.run, training.bits_per_byte
    xs = [places[updates] for updates in bits]
    return system_line(run.system, xs, list(bits.values()), run.seed, seeds)


def ngrams(results):
    """The weights λ of each ncf training and, where they were logged, the shares."""
    charts = []
    for training in results.trainings:
        run, validations = training.run, training.log.validations
        caption = f"{run.setting.name}, {run.system}, seed {run.seed}"
        for kind, label in (
            ("ngram_weights", "weight λ of the n-grams"),
            ("ngram_shares", "share of the n-grams"),
        ):
            found = {updates: getattr(v, kind) for updates, v in validations.items()}
            lines = _ngram_lines({u: sizes for u, sizes in found.items() if sizes})
            if lines:
                chart = partial(line_chart, lines, "updates", label)
                charts.append((f"{caption}: {label.split()[0]}s", chart))
    return charts


def _ngram_lines(found):
    """A Line for each n of updates -> n -> value."""
    sizes = next(iter(found.values()), {})
    return [
        Line(f"n = {n}", NGRAMS[k % len(NGRAMS)], MARKERS[k % len(MARKERS)], "-",
             list(found), [values[n] for values in found.values()])
        for k, n in enumerate(sizes)
    ]  # fmt: skip


def by_length(translations, seed):
    """BLEU by source length in each setting."""
    charts = []
    for setting, mine in translations.items():
        labels, scores = bleu_by_length(mine)
        lines = [system_line(s, range(len(labels)), v) for s, v in scores.items()]
        label = "source length in bytes (quarters)"
        chart = partial(line_chart, lines, label, "BLEU", categories=labels)
        charts.append((f"{setting.name}, seed {seed}", chart))
    return charts


def few_shot(results):
    """BLEU of each language's test set by the number of pairs fine-tuned on."""
    columns = [c for c in results.columns if c.size is not None]
    charts = []
    for language in dict.fromkeys(column.test for column in columns):
        mine = [c for c in columns if c.test == language]
        sizes, keys = [c.size for c in mine], [(c.setting, c.test) for c in mine]
        lines = []
        for row in results.rows:
            scores = [row.scores[key]["BLEU"]["score"] for key in keys]
            lines.append(system_line(row.system, sizes, scores, row.seed, results.seeds))
        charts.append((language, partial(line_chart, lines, "pairs fine-tuned on", "BLEU")))
    return charts
