"""The embedding table that char2subword learns, with what its rows spell."""

import logging
import os
from dataclasses import dataclass
from typing import List

import torch

from ..text.pieces import Piece, read_pieces
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
              ``dict.LANG.txt`` (``dict.word.LANG.txt`` for a mixture), is sought beside
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
        ValueError: none of these, more entries than rows, or no piece at all.
    """
    if os.path.isdir(path):
        names, table = read_hugging_face(path)
    elif path.endswith((".npy", ".npy.gz")):
        names, table = read_npy(path)
    elif path.endswith(".pt"):
        names, table = read_checkpoint(path)
    elif os.path.exists(path):
        raise ValueError(
            f"{path} is no table of embeddings: give a fairseq checkpoint (.pt), an array "
            "(.npy, .npy.gz) with its .tsv, or a Hugging Face directory"
        )
    else:
        raise FileNotFoundError(f"no such file or directory: {path}")
    return _without_special(path, names, table)


def _without_special(path, names, table):
    try:
        pieces, left_out = read_pieces(names)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    for reason, examples in left_out.items():
        logger.info(
            "%s: %d of %d rows left out: %s %s",
            *(path, len(examples), len(names), reason, " ".join(examples[:5])),
        )
    rows = [row for row, piece in enumerate(pieces) if piece is not None]
    if not rows:
        raise ValueError(f"{path} holds no piece that spells anything")
    return Teacher(path, [pieces[row] for row in rows], table[rows].float())
