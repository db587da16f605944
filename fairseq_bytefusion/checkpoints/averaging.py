"""Checkpoint averaging (Vaswani et al. 2017, section 6.1)."""

import itertools
import os
import re

from fairseq import checkpoint_utils

from ..compat.fairseq_checkpoints import writable
from .reading import open_checkpoint

# How fairseq names the checkpoints it keeps: by update, by epoch, by metric.
_UPDATE = re.compile(r"checkpoint_\d+_(\d+)\.pt")
_EPOCH = re.compile(r"checkpoint(\d+)\.pt")
_BEST = re.compile(r"checkpoint\.best_.+?_(-?\d+\.\d+)\d?\.pt")


def last_checkpoints(folder, count):
    """The newest ``count`` checkpoints of a training, by update or else by epoch.

    Args:
        folder (str): ``--save-dir``.
        count (int): at least 1.

    Returns:
        list of str: paths, newest first.

    Raises:
        FileNotFoundError: fewer are there.
    """
    for pattern in (_UPDATE, _EPOCH):
        numbered = _matching(folder, pattern, int)
        if numbered:
            break
    return _first(folder, [path for _, path in reversed(numbered)], count, "numbered")


def best_checkpoints(folder, count):
    """The best ``count`` checkpoints that ``--keep-best-checkpoints`` left.

    Args:
        folder (str): ``--save-dir``.
        count (int): at least 1.

    Returns:
        list of str: paths, best first.

    Raises:
        FileNotFoundError: fewer are there.
    """
    scored = _matching(folder, _BEST, float)
    if scored:
        options = open_checkpoint(scored[0][1]).options("checkpoint")
        if options["maximize_best_checkpoint_metric"]:
            scored.reverse()
    hint = "best (train with --keep-best-checkpoints)"
    return _first(folder, [path for _, path in scored], count, hint)


def _matching(folder, pattern, number):
    """Sorted list of (number in the name, path) of the files that match."""
    matches = filter(None, map(pattern.fullmatch, os.listdir(folder)))
    return sorted((number(m[1]), os.path.join(folder, m.string)) for m in matches)


def _first(folder, paths, count, kind):
    if not 1 <= count <= len(paths):
        raise FileNotFoundError(
            f"{folder} holds {len(paths)} {kind} checkpoints, {count} are asked for"
        )
    return paths[:count]


def average_checkpoints(paths, output):
    """Write a checkpoint whose parameters are the mean of those of ``paths``.

    It is made to translate with: everything else is the first one's, without the
    state of its optimiser. It appears under its name only when it is complete.

    Args:
        paths (list of str)
        output (str)

    Raises:
        OSError, RuntimeError: a checkpoint cannot be read.
        ValueError: none given, or their parameters differ in names or shapes.
    """
    if not paths:
        raise ValueError("there is nothing to average: give at least one checkpoint")
    first, total = open_checkpoint(paths[0]), {}
    # One at a time: each may fill a good part of the memory.
    for checkpoint in itertools.chain([first], map(open_checkpoint, paths[1:])):
        _check_same_shapes(checkpoint, first)
        for name, tensor in checkpoint.parameters.items():
            # In float64: the mean of equal checkpoints must be those checkpoints.
            total[name] = total.get(name, 0) + tensor.double()
    for name, tensor in first.parameters.items():
        if tensor.is_floating_point():
            first.parameters[name] = (total[name] / len(paths)).to(tensor.dtype)
    state = {**first.state, "last_optimizer_state": None}
    checkpoint_utils.torch_persistent_save(writable(state), output)


def _check_same_shapes(checkpoint, first):
    shapes, wanted = (
        {name: tensor.shape for name, tensor in c.parameters.items()}
        for c in (checkpoint, first)
    )
    if shapes != wanted:
        differing = sorted(dict(shapes.items() ^ wanted.items()))
        raise ValueError(
            f"{checkpoint.path} is not the same model as {first.path}: "
            f"{', '.join(differing[:5])}"
        )
