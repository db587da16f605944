"""The ``bytefusion`` command: each verb calls one function of the package."""

import argparse
import errno
import os
import signal
import sys

from .. import compat
from . import (
    average,
    draft,
    evaluate,
    explain,
    export,
    inspect,
    neighbours,
    path,
    predict,
    score,
    score_text,
    translate,
)

# A verb is a file with add_parser(verbs), which sets the default ``run`` to a function of
# the parsed arguments, and its place in this list, which is that in --help.
VERBS = (
    *(path, score, inspect, average, neighbours, draft, translate, export),
    *(predict, evaluate, explain, score_text),
)


def main(argv=None):
    """Run ``bytefusion VERB ...``; returns the exit status."""
    compat.catch_interrupts()
    compat.utf8_standard_streams()
    name = "bytefusion"
    try:
        with compat.flushing_output():
            if sys.stdout is None:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard output")
            args = _parser().parse_args(argv)
            name = f"bytefusion {args.verb}"
            args.run(args)
    except BrokenPipeError:
        # Whoever read our output has seen enough: as a command that SIGPIPE ended.
        return 128 + 13
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except (OSError, ValueError, RuntimeError) as error:
        if sys.stderr is not None:  # print would take standard output
            print(f"{name}: {compat.error_line(error)}", file=sys.stderr)
        return 1
    return 0


def _parser():
    parser = argparse.ArgumentParser(prog="bytefusion", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb in VERBS:
        verb.add_parser(verbs)
    return parser
