"""Checkpoint averaging (Vaswani et al. 2017, section 6.1)."""

import os
import re

from fairseq import checkpoint_utils

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
        cfg = checkpoint_utils.load_checkpoint_to_cpu(scored[0][1])["cfg"]["checkpoint"]
        if cfg["maximize_best_checkpoint_metric"]:
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
    average, total = None, {}
    for path in paths:
        state = checkpoint_utils.load_checkpoint_to_cpu(path)
        shapes = {name: tensor.shape for name, tensor in state["model"].items()}
        if average is None:
            average, first_shapes = state, shapes
        elif shapes != first_shapes:
            differing = sorted(dict(shapes.items() ^ first_shapes.items()))
            raise ValueError(
                f"{path} is not the same model as {paths[0]}: {', '.join(differing[:5])}"
            )
        for name, tensor in state["model"].items():
            # In float64: the mean of equal checkpoints must be those checkpoints.
            total[name] = total.get(name, 0) + tensor.double()
    for name, tensor in average["model"].items():
        if tensor.is_floating_point():
            average["model"][name] = (total[name] / len(paths)).to(tensor.dtype)
    average["last_optimizer_state"] = None
    checkpoint_utils.torch_persistent_save(_plain(average), output)


def _plain(state):
    """``state`` with its config as dicts, as fairseq writes it."""
    from omegaconf import OmegaConf

    if OmegaConf.is_config(state.get("cfg")):
        return {**state, "cfg": OmegaConf.to_container(state["cfg"], resolve=True)}
    return state
