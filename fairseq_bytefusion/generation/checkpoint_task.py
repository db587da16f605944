"""What the task of a checkpoint needs before it can be set up without its data."""

import os

from fairseq import utils

from ..checkpoints.reading import open_checkpoint
from ..tasks.byte_translation import ByteTranslationTask
from ..text import UNITS
from ..text.units import vocabulary_file


def task_overrides(path, data=None, source_lang=None, target_lang=None):
    """Settings of a checkpoint's task that must change for translation.

    Args:
        path (str): a checkpoint.
        data (str or Path, optional): directory with the vocabularies; by default that
            of training, or else that of the checkpoint.
        source_lang (str, optional), target_lang (str, optional): instead of that, or
            those, of training.

    Returns:
        dict: as fairseq's ``arg_overrides``.

    Raises:
        FileNotFoundError: no such checkpoint, or its vocabularies are nowhere.
        ValueError: the checkpoint is of a task that does not read raw text.
    """
    checkpoint = _open(path, ByteTranslationTask.NAME, "translates raw text")
    # How a model was searched with in training says nothing of how it is now.
    overrides = {"draft": "none", "draft_file": None, "draft_length": "auto"}
    if source_lang is not None:
        overrides["source_lang"] = source_lang
    if target_lang is not None:
        overrides["target_lang"] = target_lang
    for key in ("source_lang", "target_lang"):
        if {**checkpoint.task_options, **overrides}.get(key) is None:
            # Found in the data of training, which may be gone. A checkpoint of the byte
            # unit older than this entry names no file by it.
            overrides[key] = checkpoint.task_state.get(key, key)
    options = {**checkpoint.task_options, **overrides}
    files = _files(checkpoint, options)
    return {**overrides, **_where(files, path, options["data"], data)}


def labelling_overrides(path, name, purpose, data=None):
    """Settings of a checkpoint's task that must change for labelling.

    Args:
        path (str): a checkpoint.
        name (str): of the task that it must be of.
        purpose (str): what a model of that task does.
        data (str or Path, optional): as of :func:`task_overrides`.

    Returns:
        dict: as fairseq's ``arg_overrides``.

    Raises:
        FileNotFoundError: no such checkpoint, or its vocabulary is nowhere.
        ValueError: the checkpoint is of another task.
    """
    options = _open(path, name, purpose).task_options
    filename = vocabulary_file(options.get("source_unit", "byte"))
    files = [] if filename is None else [filename]
    return _where(files, path, options["data"], data)


def language_model_overrides(path, name, purpose, data=None):
    """Settings of a checkpoint's task that must change for scores of text.

    Args:
        path, name, purpose, data: as of :func:`labelling_overrides`.

    Returns:
        dict: as fairseq's ``arg_overrides``.

    Raises:
        FileNotFoundError, ValueError: as of :func:`labelling_overrides`.
    """
    options = _open(path, name, purpose).task_options
    pattern = UNITS[options.get("source_unit", "byte")].filename
    files = [] if pattern is None else [pattern.format(options["source_lang"])]
    return _where(files, path, options["data"], data)


def _open(path, task, purpose):
    """The checkpoint at ``path``, of a ``task`` (str) that has a ``purpose``."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"no such file: {path}")
    checkpoint = open_checkpoint(path)
    checkpoint.require_task(task, purpose)
    return checkpoint


def _where(files, path, trained_on, data):
    """dict: where ``files`` (list of str) are, as settings of a task."""
    if not files and data is None:
        return {}
    known = [*utils.split_paths(trained_on)[:1], os.path.dirname(path) or "."]
    return {"data": _find(files, known if data is None else [os.fspath(data)])}


def _files(checkpoint, options):
    """Names of the files that the dictionaries and the model read; ``options`` are those
    of the task."""
    names = []
    for side in ("source", "target"):
        pattern = UNITS[options.get(f"{side}_unit", "byte")].filename
        if pattern is not None:
            names += map(pattern.format, options[f"{side}_lang"].split(","))
    is_mixture = checkpoint.model_options.get("encoder_embedder") == "mixture"
    if is_mixture and checkpoint.source_words is None:
        names += map("dict.word.{}.txt".format, options["source_lang"].split(","))
    return names


def _find(names, folders):
    """The first of ``folders`` that holds all files ``names``."""
    for folder in folders:
        if all(os.path.exists(os.path.join(folder, name)) for name in names):
            return folder
    raise FileNotFoundError(
        f"the model needs {' and '.join(names)}, and {' and '.join(folders)} "
        f"{'lacks' if len(folders) == 1 else 'lack'} that: give the data directory of "
        "training (--data), or copy the files beside the checkpoint"
    )
