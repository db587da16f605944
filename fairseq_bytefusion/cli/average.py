"""``bytefusion average``: the mean of the parameters of checkpoints."""

import os

from ..checkpoints.averaging import average_checkpoints, best_checkpoints, last_checkpoints
from .arguments import positive


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser("average", help="average the parameters of checkpoints")
    parser.add_argument(
        "checkpoints",
        nargs="+",
        metavar="CHECKPOINT",
        help="checkpoints, or the --save-dir of a training with --last or --best",
    )
    parser.add_argument("--output", required=True, metavar="FILE")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--last", type=positive, metavar="K", help="the newest K")
    which.add_argument("--best", type=positive, metavar="K", help="the best K")
    parser.add_argument(
        "--metric",
        help="what --best goes by, such as loss or bleu (default: the metric of training)",
    )
    parser.set_defaults(run=run)


def run(args):
    """Write the average of checkpoints."""
    if args.metric is not None and args.best is None:
        raise ValueError("--metric says what --best goes by: give both")
    paths = args.checkpoints
    if args.last is not None or args.best is not None:
        if len(paths) != 1 or not os.path.isdir(paths[0]):
            raise ValueError("--last and --best take one directory of checkpoints")
        if args.best is None:
            paths = last_checkpoints(paths[0], args.last)
        else:
            paths = best_checkpoints(paths[0], args.best, args.metric)
    average_checkpoints(paths, args.output)
    print(f"{args.output}: the average of {', '.join(paths)}")
