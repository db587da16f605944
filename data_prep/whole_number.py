"""Numbers on the command line, refused in words."""

import argparse


def whole_number(least):
    """A function for ``type=`` of an argument: text to an int of at least ``least``."""

    def parse(text):
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"{text} is not a whole number from {least} on"
            )
        return int(text)

    return parse
