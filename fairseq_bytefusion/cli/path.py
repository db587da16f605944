"""``bytefusion path``: where the package is."""

import os


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser("path", help="print the folder to give as --user-dir")
    parser.set_defaults(run=run)


def run(args):
    """Print the folder that holds the package."""
    print(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
