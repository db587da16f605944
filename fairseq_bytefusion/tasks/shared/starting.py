"""Checkpoints that new models start from."""

import os


def require_start(flag, path, note=""):
    """Refuse a path to nothing.

    Args:
        flag (str): that gave it.
        path (str)
        note (str): to add in brackets.

    Raises:
        FileNotFoundError: no such file.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(f"{flag} {path}: no such file{note and f' ({note})'}")
