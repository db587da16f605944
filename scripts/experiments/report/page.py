"""The report of an experiment: tables and one HTML page that needs nothing else."""

from pathlib import Path

from data_prep.output import write_atomically

from ..pairs.plan import Pairs
from . import csv_files, table, templates
from .charts import draw_sections
from .collect import collect
from .metrics import METRICS
from .sentences import most_different, read_translations
from .summary import detail

NUM_EXAMPLES = 6


def write_report(plan, commands, experiment, folder):
    """Write the tables and the page of an experiment.

    Args:
        plan (Plan), commands (Commands)
        experiment (str)
        folder (str): made if there is none.

    Raises:
        OSError, ValueError, KeyError: a step's output is missing or broken.
    """
    results = collect(plan, commands, experiment)
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    page = render(plan, commands, results)
    for name, text in (
        ("table.csv", csv_files.scores(results)),
        ("comparisons.csv", csv_files.comparisons(results)),
        ("curves.csv", csv_files.curves(results)),
        ("table.md", table.to_markdown(results)),
        ("report.html", page),
    ):
        write_atomically(str(out / name), text.encode())


def render(plan, commands, results):
    """The page as str."""
    settings = plan.settings_of(results.experiment)
    seed = min(plan.seeds_of(results.experiment))
    translations = {s: _that_count(plan, commands, s, seed) for s in settings}
    grid = plan.grid
    return templates.render(
        "page.html.j2",
        title=results.spec.title,
        grid=grid,
        results=results,
        settings=settings,
        score_tables=[
            (m.title, table.signatures(results)[name], *table.score_rows(results, name))
            for name, m in METRICS.items()
        ],
        trained_table=table.trained_rows(results),
        size_table=table.size_rows(results),
        notes=table.note(results),
        batches=_batches(results),
        data=[_data_row(plan, name, pair, c) for (name, pair), c in results.stats.items()],
        charts=draw_sections(results, settings, translations, seed),
        examples=_examples(grid, translations),
        unquoted=_unquoted(grid, translations),
        seed=seed,
        details=[detail(t.run, t.commands, t.record) for t in results.trainings],
    )


def _that_count(plan, commands, setting, seed):
    """list of Translations of the test sets that count in the average."""
    read = read_translations(plan, commands, setting, seed)
    return [translations for test, translations in read.items() if test.averaged]


def _batches(results):
    """Header and rows: unit, --max-tokens, mean sentences an update, of each system."""
    header = ["setting", "system", "seed", "--max-tokens", "sentences an update"]
    rows = []
    for training in results.trainings:
        size = training.log.batch_size
        run = training.run
        rows.append(
            [
                *(run.setting.name, run.system, run.seed, training.max_tokens),
                "not logged" if size is None else f"{size:.1f}",
            ]
        )
    return header, rows


def _data_row(plan, name, pair, counts):
    """A row of the data table: counts of prepare.py, or of a few-shot sample."""
    pairs = plan.part(Pairs)
    source = pairs.samples[name].data if name in pairs.samples else name
    dataset = pairs.pairs_in(source)[0].dataset
    reasons = counts.get("reasons", {})
    splits = counts["splits"]
    sizes = [splits.get(split, "") for split in ("train", "valid", "test")]
    removed = [reasons.get(r, "") for r in ("excluded", "held_out", "duplicate")]
    return [name, pair, dataset, plan.grid.datasets[dataset].licence, *sizes, *removed]


def _examples(grid, translations):
    allowed = [
        test
        for tests in translations.values()
        for test in tests
        if grid.datasets[test.dataset].quote_examples and len(test.hypotheses) > 1
    ]
    return most_different(allowed, NUM_EXAMPLES)


def _unquoted(grid, translations):
    """(dataset, licence) of the texts that may not be quoted."""
    names = {test.dataset for tests in translations.values() for test in tests}
    return sorted(
        (name, grid.datasets[name].licence)
        for name in names
        if not grid.datasets[name].quote_examples
    )
