"""``bytefusion neighbours``: what a learned table takes words for."""

from ..evaluation.neighbours import format_neighbours, nearest_pieces
from .arguments import positive


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser(
        "neighbours",
        help="rows of a learned table that are nearest to any spelling",
        description="The pieces of the vocabulary that a checkpoint of --task "
        "embedding_approximation takes words for, with their cosines.",
    )
    parser.add_argument("checkpoint", metavar="CHECKPOINT")
    parser.add_argument(
        "words", nargs="+", metavar="WORD", help="a word; with ## in front its continuation"
    )
    parser.add_argument(
        "-k", type=positive, default=5, metavar="N", help="pieces a word (%(default)s)"
    )
    parser.add_argument(
        "--teacher", metavar="PATH", help="the table, if it is no longer where it was"
    )
    parser.set_defaults(run=run)


def run(args):
    """Print the nearest rows of each word."""
    found = nearest_pieces(args.checkpoint, args.words, args.k, args.teacher)
    print(format_neighbours(args.words, found))
