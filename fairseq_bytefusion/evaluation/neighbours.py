"""The rows of a learned table that lie nearest to any spelling."""

from argparse import Namespace

import torch
from fairseq import checkpoint_utils, tasks

from ..checkpoints.reading import open_checkpoint
from ..modules.nearest_rows import nearest_rows
from ..text.pieces import Piece, spell


@torch.no_grad()
def nearest_pieces(checkpoint, words, count=5, teacher=None):
    """What a trained approximation takes ``words`` for.

    Args:
        checkpoint (str): of ``--task embedding_approximation``.
        words (list of str): in any spelling; with ``##`` in front, what goes on a word.
        count (int): k.
        teacher (str, optional): path of the table, where it is no longer where it was in
            training.

    Returns:
        list of list of (float, str): a list a word, the k nearest pieces, as the
        vocabulary writes them, with their cosines.

    Raises:
        OSError: a file cannot be read.
        RuntimeError, ValueError: the checkpoint is of another task, an empty word, or
            the table has fewer than k rows or rows of another width.

    Source: Aguilar et al. 2021, *Char2Subword*, table 3.
    """
    pieces = [_piece(word) for word in words]
    opened = open_checkpoint(checkpoint, {"data": teacher} if teacher else None)
    task = _task_of(opened, teacher)
    models, _ = checkpoint_utils.load_model_ensemble(
        [checkpoint], task=task, state=opened.state
    )
    model = models[0].float().eval()
    vectors = model(**spell(pieces, task.source_dictionary, task.cfg.max_word_chars))
    cosines, rows = nearest_rows(task.teacher.table, vectors, count)
    return [
        [(cosine, task.teacher.pieces[row].name) for cosine, row in zip(*pair)]
        for pair in zip(cosines.tolist(), rows.tolist())
    ]


def _task_of(checkpoint, teacher):
    """The task with the table that was learned, or one that can stand for it."""
    name, options = "embedding_approximation", checkpoint.task_options
    checkpoint.require_task(name, "has neighbours to show")
    task = tasks.setup_task(Namespace(**options, task=name))
    try:
        width = task.teacher.table.shape[1]
    except FileNotFoundError as error:
        if teacher:
            raise
        raise FileNotFoundError(
            f"{error}; say with --teacher where the table is that {checkpoint.path} learned"
        ) from error
    composed = len(checkpoint.parameters["composer.projection.weight"])
    if width != composed:
        flag = "--teacher " if teacher else ""
        raise ValueError(
            f"{flag}{options['data']} has rows of {width} numbers, {checkpoint.path} "
            f"composes {composed}"
        )
    return task


def _piece(word):
    begins = not word.startswith("##")
    text = word if begins else word[2:]
    if not text:
        raise ValueError(f"{word!r} spells nothing")
    return Piece(word, text, begins)


def format_neighbours(words, found):
    """A line a word: the word, then its nearest pieces with their cosines.

    Args:
        words (list of str)
        found (list of list of (float, str)): see :func:`nearest_pieces`.

    Returns:
        str
    """
    width = max(map(len, words))
    return "\n".join(
        f"{word:{width}}  " + "  ".join(f"{name} {cosine:.3f}" for cosine, name in near)
        for word, near in zip(words, found)
    )
