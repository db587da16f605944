"""The ``bytefusion`` command: each verb calls one function of the package."""

import argparse
import os
import sys

from .. import compat
from . import average, inspect, neighbours, path, score, translate

# A verb is a file with add_parser(verbs), which sets the default ``run`` to a function of
# the parsed arguments, and its place in this list, which is that in --help.
VERBS = (path, score, inspect, average, neighbours, translate)


def main(argv=None):
    """Run ``bytefusion VERB ...``; returns the exit status."""
    compat.utf8_standard_streams()
    args = _parser().parse_args(argv)
    try:
        args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python would complain once more
        # when it flushes the stream at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13  # as a command that SIGPIPE ended
    except (OSError, ValueError, RuntimeError) as error:
        print(f"bytefusion {args.verb}: {_explain(error)}", file=sys.stderr)
        return 1
    return 0


def _explain(error):
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return error


def _parser():
    parser = argparse.ArgumentParser(prog="bytefusion", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb in VERBS:
        verb.add_parser(verbs)
    return parser
