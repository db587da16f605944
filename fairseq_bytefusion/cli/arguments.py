"""Flags that several verbs have, and values of such."""

import argparse


def positive(text):
    """``text`` as a whole number from 1 on.

    Raises:
        argparse.ArgumentTypeError: it is below, or no number.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 on")
    return int(text)


def add_labeller_flags(parser):
    """Add what every verb that labels text has to ``parser``."""
    parser.add_argument(
        "checkpoint",
        metavar="CHECKPOINT",
        help="a checkpoint of --task byte_tagging or byte_classification, or the directory "
        "of one",
    )
    add_where_flags(parser)


def add_where_flags(parser):
    """Add where the vocabulary is, and where the model runs, to ``parser``."""
    parser.add_argument(
        "--data",
        metavar="DIR",
        help="where the vocabulary is (default: the data directory of training, or else "
        "beside the checkpoint; the byte unit needs none)",
    )
    parser.add_argument(
        "--device", help="cpu, cuda ... (default: a GPU where there is one)"
    )


def add_batch_flags(parser):
    """Add how many sentences go through the model to ``parser``."""
    parser.add_argument(
        "--batch-size",
        type=positive,
        default=32,
        metavar="N",
        help="sentences labelled together (%(default)s)",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
