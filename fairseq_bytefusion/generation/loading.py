"""Which checkpoint is meant, and where it runs."""

import os

import torch
from fairseq import utils

CHECKPOINT_NAMES = ("checkpoint_best.pt", "checkpoint_last.pt")


def choose_device(device=None):
    """The device to run on.

    Args:
        device (str or torch.device, optional): by default a GPU where there is one.

    Returns:
        str or torch.device

    Raises:
        ValueError: it cannot be used.
    """
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=device)
    except (AssertionError, RuntimeError) as error:
        first_line = str(error).split("\n")[0]
        raise ValueError(f"the device {device} cannot be used: {first_line}") from error
    return device


def checkpoint_files(path_or_dir):
    """The checkpoints that a path names.

    Args:
        path_or_dir (str or Path): a checkpoint, several joined by colons (an ensemble; a
            file that exists wins), or a directory with ``checkpoint_best.pt`` or else
            ``checkpoint_last.pt``.

    Returns:
        list of str

    Raises:
        FileNotFoundError: no such file.
    """
    path = os.fsdecode(path_or_dir)
    if not os.path.isdir(path):
        paths = utils.split_paths(path)
        for part in paths:
            if not os.path.exists(part):
                ensemble = f" (of {path})" if part != path else ""
                raise FileNotFoundError(f"no such file: {part}{ensemble}")
        return paths
    tried = [os.path.join(path, name) for name in CHECKPOINT_NAMES]
    there = [name for name in tried if os.path.exists(name)]
    if not there:
        raise FileNotFoundError(f"no such file: {tried[0]}, nor {tried[1]}")
    return there[:1]
