"""The embedding table that char2subword learns, with what its rows spell."""

import logging
import os
from collections import Counter
from dataclasses import dataclass
from typing import List

import torch

from ...text.pieces import Piece, read_pieces, word_pieces
from .table_checkpoint import read_checkpoint
from .table_files import read_hugging_face, read_npy

logger = logging.getLogger(__name__)


@dataclass
class Teacher:
    """Row i of ``table`` (Float[V, D]) is that of ``pieces[i]``."""

    path: str
    pieces: List[Piece]
    table: torch.Tensor


def read_teacher(path):
    """Read a vocabulary and its matrix; rows that spell nothing are left out and logged.

    Args:
        path (str): one of

            - ``checkpoint.pt`` of fairseq: its encoder's table. The dictionary,
              ``dict.LANG.txt`` (``dict.word.LANG.txt`` for words), is sought beside
              the checkpoint, then in the data directory of its training;
            - ``NAME.npy`` or ``NAME.npy.gz``, beside it ``NAME.tsv`` or
              ``NAME.vocab.tsv`` (``NAME`` without ``.f16`` as well) with a line a row:
              the piece, or a number, a tab and the piece;
            - a Hugging Face directory: ``tokenizer.json`` or ``vocab.txt``, and
              safetensors.

    Returns:
        Teacher

    Raises:
        OSError: a file is missing or cannot be read.
        ValueError: none of these, a broken file, more entries than rows, no piece at all,
            rows that are not finite or have no number; a checkpoint whose rows are symbols
            of text, or whose list of words is not that of training.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(f"no such file or directory: {path}")
    if os.path.isdir(path):
        rows = read_hugging_face(path)
    elif path.endswith((".npy", ".npy.gz")):
        rows = read_npy(path)
    elif path.endswith(".pt"):
        rows = read_checkpoint(path)
    else:
        raise ValueError(
            f"{path} is no table of embeddings: give a fairseq checkpoint (.pt), an array "
            "(.npy, .npy.gz) with its .tsv, or a Hugging Face directory"
        )
    teacher = _without_special(path, rows)
    _check_numbers(teacher)
    _log_twins(teacher)
    return teacher


def _without_special(path, rows):
    """Teacher: the rows that spell something; the others are logged."""
    if rows.are_words:
        pieces, left_out = word_pieces(rows.names), {}
    else:
        try:
            pieces, left_out = read_pieces(rows.names)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    for reason, examples in left_out.items():
        logger.info(
            "%s: %d of %d rows left out: %s %s",
            *(path, len(examples), len(pieces), reason, _some(examples)),
        )
    kept = [row for row, piece in enumerate(pieces) if piece is not None]
    if not kept:
        raise ValueError(f"{path} holds no piece that spells anything")
    return Teacher(path, [pieces[row] for row in kept], rows.table[kept].float())


def _check_numbers(teacher):
    """Refuse rows without numbers, or with numbers that no composed vector can reach."""
    count, width = teacher.table.shape
    if not width:
        raise ValueError(f"{teacher.path}: its {count} rows hold no number (width 0)")
    bad = (~teacher.table.isfinite().all(1)).nonzero().flatten().tolist()
    if bad:
        names = [teacher.pieces[row].name for row in bad]
        raise ValueError(
            f"{teacher.path}: {len(bad)} of {count} rows hold NaN or infinity: "
            f"{_some(names)}"
        )


def _log_twins(teacher):
    """Rows of one spelling are composed alike: at best one of them can be met."""
    spelt = Counter((piece.text, piece.begins) for piece in teacher.pieces)
    twins = [p.name for p in teacher.pieces if spelt[p.text, p.begins] > 1]
    if twins:
        logger.warning(
            "%s: %d of %d rows are spelt as another row is: %s",
            *(teacher.path, len(twins), len(teacher.pieces), _some(twins)),
        )


def _some(names):
    return " ".join(names[:5])
