"""Values of flags that several verbs have."""

import argparse


def positive(text):
    """``text`` as a whole number from 1 on.

    Raises:
        argparse.ArgumentTypeError: it is below.
        ValueError: it is no number.
    """
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 on")
    return number
