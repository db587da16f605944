"""Checkpoint averaging (Vaswani et al. 2017, section 6.1)."""

import itertools
import logging
import os
import re

from ..compat.fairseq_checkpoints import writable
from ..compat.torch import save_weights
from .publishing import publishing
from .reading import open_checkpoint

logger = logging.getLogger(__name__)

# How fairseq names the checkpoints it keeps: by update, by epoch, by metric.
_UPDATE = re.compile(r"checkpoint_(?P<epoch>\d+)_(?P<number>\d+)\.pt")
_EPOCH = re.compile(r"checkpoint(?P<number>(?P<epoch>\d+))\.pt")
_BEST = re.compile(r"checkpoint\.best_(?P<metric>.+)_(?P<number>-?\d+\.\d+)\.pt")
LAST = "checkpoint_last.pt"


def last_checkpoints(folder, count):
    """The newest ``count`` checkpoints of a training, by update or by epoch.

    One kind only: a checkpoint of each may be of the same update. Where both are there,
    it is the kind that reaches the later epoch, by update if none does, and which one
    it is is logged.

    Args:
        folder (str): ``--save-dir``.
        count (int): at least 1.

    Returns:
        list of str: paths, newest first.

    Raises:
        FileNotFoundError: fewer are there.
    """
    kinds = {"by update": _matching(folder, _UPDATE), "by epoch": _matching(folder, _EPOCH)}
    kinds = {kind: found for kind, found in kinds.items() if found}
    if len(kinds) < 2:
        found = next(iter(kinds.values()), [])
        return _first(folder, found[::-1], count, "numbered")
    enough = [kind for kind, found in kinds.items() if len(found) >= count]
    counts = " and ".join(f"{len(found)} {kind}" for kind, found in kinds.items())
    if not enough:
        raise FileNotFoundError(
            f"{folder} holds {counts} numbered checkpoints, {count} of a kind are asked for"
        )
    kind = max(enough, key=lambda kind: int(kinds[kind][-1]["epoch"]))
    logger.warning("%s holds %s checkpoints: the newest %s are taken", folder, counts, kind)
    return _first(folder, kinds[kind][::-1], count, "numbered")


def best_checkpoints(folder, count, metric=None):
    """The best ``count`` checkpoints that ``--keep-best-checkpoints`` left.

    Args:
        folder (str): ``--save-dir``.
        count (int): at least 1.
        metric (str, optional): what they are best by; where they are by several, the
            ``--best-checkpoint-metric`` of the last checkpoint.

    Returns:
        list of str: paths, best first.

    Raises:
        FileNotFoundError: fewer are there.
        OSError, RuntimeError: a checkpoint cannot be read.
        ValueError: of several metrics none is that of the training.
    """
    found = _matching(folder, _BEST)
    metrics = sorted({match["metric"] for match in found})
    if metric is None and len(metrics) > 1:
        metric = _metric_of_training(folder, metrics)
    hint = "best (train with --keep-best-checkpoints)"
    if metric is not None:
        found = [match for match in found if match["metric"] == metric]
        hint = f"best_{metric} (those there are best by: {', '.join(metrics) or 'nothing'})"
    if found and _is_higher_better(folder, found):
        found.reverse()
    return _first(folder, found, count, hint)


def _metric_of_training(folder, metrics):
    """What the checkpoints of a training are best by, one of several ``metrics``."""
    last, metric = os.path.join(folder, LAST), None
    if os.path.exists(last):
        metric = open_checkpoint(last).options("checkpoint").get("best_checkpoint_metric")
    if metric not in metrics:
        raise ValueError(
            f"{folder} holds the best checkpoints by {' and by '.join(metrics)}: choose "
            "with --metric"
        )
    logger.warning(
        "%s holds the best checkpoints by %s: those by %s, the metric of its training, "
        "are taken",
        folder,
        " and by ".join(metrics),
        metric,
    )
    return metric


def _is_higher_better(folder, matches):
    """Whether the training maximises its metric, by the file that it wrote last."""
    paths = [os.path.join(folder, match.string) for match in matches]
    options = open_checkpoint(max(paths, key=os.path.getmtime)).options("checkpoint")
    return options["maximize_best_checkpoint_metric"]


def _matching(folder, pattern):
    """Matches of the files of ``folder``, by the number in their names."""
    matches = filter(None, map(pattern.fullmatch, os.listdir(folder)))
    return sorted(matches, key=lambda match: float(match["number"]))


def _first(folder, matches, count, kind):
    if not 1 <= count <= len(matches):
        raise FileNotFoundError(
            f"{folder} holds {len(matches)} {kind} checkpoints, {count} are asked for"
        )
    return [os.path.join(folder, match.string) for match in matches[:count]]


def average_checkpoints(paths, output):
    """Write a checkpoint whose parameters are the mean of those of ``paths``.

    It is made to translate with: everything else is the first one's, without the
    state of its optimiser. It appears under its name only when it is complete.

    Args:
        paths (list of str)
        output (str)

    Raises:
        OSError, RuntimeError: a checkpoint cannot be read, or ``output`` not written.
        ValueError: none given, or their parameters differ in names or shapes, or are NaN
            or infinite, or their words or labels differ; ``output`` is one of them.
    """
    if not paths:
        raise ValueError("there is nothing to average: give at least one checkpoint")
    if os.path.exists(output):
        for path in paths:
            if os.path.exists(path) and os.path.samefile(path, output):
                raise ValueError(
                    f"{output} is one of the checkpoints to average: give another --output"
                )
    with publishing(output) as file:  # before the work: it may be no place to write
        save_weights(_average(paths), file)


def _average(paths):
    """The mean of checkpoints, as what fairseq writes into one."""
    first, total = open_checkpoint(paths[0]), {}
    # One at a time: each may fill a good part of the memory.
    for checkpoint in itertools.chain([first], map(open_checkpoint, paths[1:])):
        checkpoint.require_finite()
        _check_same_model(checkpoint, first)
        for name, tensor in checkpoint.parameters.items():
            # In float64: the mean of equal checkpoints must be those checkpoints.
            total[name] = total.get(name, 0) + tensor.double()
    means = {}
    for name, tensor in first.parameters.items():
        if tensor.is_floating_point():
            # A table that modules share stays one.
            table = tensor.data_ptr(), tensor.shape
            if table not in means:
                means[table] = (total[name] / len(paths)).to(tensor.dtype)
            first.parameters[name] = means[table]
    return writable({**first.state, "last_optimizer_state": None})


def _check_same_model(checkpoint, first):
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
    words = checkpoint.source_words, first.source_words
    if None not in words and words[0] != words[1]:
        raise ValueError(
            f"{checkpoint.path} knows other words than {first.path}: average checkpoints "
            "of one list of words"
        )
    if checkpoint.labels != first.labels:
        raise ValueError(
            f"{checkpoint.path} has other labels than {first.path}: average checkpoints of "
            "one training"
        )
