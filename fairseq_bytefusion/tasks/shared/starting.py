"""Checkpoints that new models start from."""

import os


def require_start(flag, path, note=""):
    """Refuse a path to no file.

    Args:
        flag (str): that gave it.
        path (str)
        note (str): to add in brackets.

    Raises:
        OSError: no such file, or a directory.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(f"{flag} {path}: no such file{note and f' ({note})'}")
    if os.path.isdir(path):
        raise IsADirectoryError(
            f"{flag} {path} is a directory: give a checkpoint in it, such as "
            f"{os.path.join(path, 'checkpoint_best.pt')}"
        )
