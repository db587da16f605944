"""``bytefusion inspect``: what checkpoints say of themselves."""

from ..checkpoints.inspection import format_summary, inspect_checkpoint
from ..checkpoints.ngram_plot import plot_ngram_weights


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser(
        "inspect", help="options, size and n-gram weights (ncf) of checkpoints"
    )
    parser.add_argument("checkpoints", nargs="+", metavar="CHECKPOINT")
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="draw the n-gram weights: bars for one checkpoint, lines for several",
    )
    parser.add_argument(
        "--text",
        metavar="FILE",
        help="of a model with a pre-trained encoder: tokens a sentence of this file",
    )
    parser.set_defaults(run=run)


def run(args):
    """Print what each checkpoint says of itself; draw with ``--plot``."""
    summaries = [inspect_checkpoint(path, args.text) for path in args.checkpoints]
    print("\n".join(map(format_summary, summaries)))
    if args.plot:
        plot_ngram_weights(summaries, args.plot)
