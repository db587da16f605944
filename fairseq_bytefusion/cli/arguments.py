"""Values of flags that several verbs have."""

import argparse


def positive(text):
    """``text`` as a whole number from 1 on.

    Raises:
        argparse.ArgumentTypeError: it is below, or no number.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 on")
    return int(text)
