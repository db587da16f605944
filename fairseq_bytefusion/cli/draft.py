"""``bytefusion draft``: what --draft ngram foresees translations with."""

from ..checkpoints.publishing import publishing
from ..generation.draft_counts import count_draft
from ..text import UNITS
from .arguments import positive


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser(
        "draft",
        help="count n-grams of training text, for --draft ngram",
        description="Count which symbol follows which in the targets of training data. "
        "With --draft ngram --draft-file FILE greedy search checks several symbols in one "
        "call of the model; translations stay the same.",
    )
    parser.add_argument("data", metavar="DATA", help="the raw-text directory of training")
    parser.add_argument("-s", "--source-lang", required=True, metavar="LANG[,LANG]")
    parser.add_argument("-t", "--target-lang", required=True, metavar="LANG")
    parser.add_argument(
        "--target-unit",
        choices=UNITS,
        default="byte",
        help="that of the model (%(default)s)",
    )
    parser.add_argument(
        "--order",
        type=positive,
        default=7,
        metavar="N",
        help="a symbol is foreseen from the N - 1 before it (%(default)s)",
    )
    parser.add_argument("--output", required=True, metavar="FILE")
    parser.set_defaults(run=run)


def run(args):
    """Write the file."""
    sources = args.source_lang.split(",")
    found = count_draft(args.data, sources, args.target_lang, args.target_unit, args.order)
    with publishing(args.output) as file:
        found.save(file)
    print(f"{args.output}: {found.table.num_contexts} contexts of 1 to {args.order - 1}")
