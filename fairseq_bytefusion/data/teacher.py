"""The embedding table that char2subword learns, with what its rows spell."""

import gzip
import json
import logging
import os
from dataclasses import dataclass
from typing import List

import numpy as np
import torch
from fairseq import checkpoint_utils, utils
from fairseq.data import Dictionary

from ..text.pieces import Piece, read_pieces
from ..text.word_list import read_word_list

logger = logging.getLogger(__name__)

# Where a checkpoint keeps its encoder's table, and which file names the rows.
_MIXTURE_TABLE = "encoder.embed_tokens.table.weight"
_ENCODER_TABLE = "encoder.embed_tokens.weight"
# How Hugging Face models call the table of input embeddings.
_TABLE_ENDINGS = (
    "word_embeddings.weight",
    "embed_tokens.weight",
    "wte.weight",
    "shared.weight",
)


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
        names, table = _read_hugging_face(path)
    elif path.endswith((".npy", ".npy.gz")):
        names, table = _read_npy(path)
    elif path.endswith(".pt"):
        names, table = _read_checkpoint(path)
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


def _paired(names, table, names_path, table_path):
    """``names`` and ``table`` where there are as many of the one as of the other."""
    if len(names) != len(table):
        raise ValueError(
            f"{names_path} has {len(names)} entries and {table_path} {len(table)} rows"
        )
    return names, table


def _first_existing(candidates, what):
    for path in candidates:
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"no such file: {' nor '.join(candidates)}, {what}")


def _read_npy(path):
    stem = path[: path.rindex(".npy")]
    short = stem[: -len(".f16")] if stem.endswith(".f16") else stem
    tsv = _first_existing(
        [
            f"{s}{ending}"
            for s in dict.fromkeys((stem, short))
            for ending in (".tsv", ".vocab.tsv")
        ],
        f"what the rows of {path} spell",
    )
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        table = np.load(file, allow_pickle=False)
    if table.ndim != 2:
        raise ValueError(f"{path} must have two dimensions, it has {table.ndim}")
    with open(tsv, encoding="utf-8", newline="\n") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    names = [row[1] if len(row) > 1 else row[0] for row in rows]
    return _paired(names, torch.from_numpy(table), tsv, path)


def _read_checkpoint(path):
    state = checkpoint_utils.load_checkpoint_to_cpu(path)
    task, parameters = state["cfg"]["task"], state["model"]
    language = getattr(task, "source_lang", None)
    key = next((k for k in (_MIXTURE_TABLE, _ENCODER_TABLE) if k in parameters), None)
    if key is None:
        raise ValueError(
            f"{path} has no table of embeddings in its encoder ({_ENCODER_TABLE})"
        )
    kind = "dict.word" if key == _MIXTURE_TABLE else "dict"
    name = f"{kind}.{language}.txt" if language else f"{kind}.txt"
    folders = [os.path.dirname(path) or ".", *utils.split_paths(getattr(task, "data", ""))]
    dictionary = _first_existing(
        [os.path.join(folder, name) for folder in folders],
        f"what the rows of {path} spell: copy it there",
    )
    if key == _MIXTURE_TABLE:
        words = read_word_list(dictionary)
        names = [word.decode("utf-8", "surrogateescape") for word in words]
    else:
        names = Dictionary.load(dictionary).symbols
    return _paired(names, parameters[key], dictionary, path)


def _read_hugging_face(path):
    names_path = _first_existing(
        [os.path.join(path, name) for name in ("tokenizer.json", "vocab.txt")],
        "the vocabulary of a Hugging Face model",
    )
    if names_path.endswith(".json"):
        names = _names_of_tokenizer(names_path)
    else:
        with open(names_path, encoding="utf-8", newline="\n") as file:
            names = [line.rstrip("\r\n") for line in file]
    table = _read_safetensors(path)
    if len(names) > len(table):  # fewer is usual: tables are padded to a round number
        _paired(names, table, names_path, path)
    return names + [None] * (len(table) - len(names)), table


def _names_of_tokenizer(path):
    """The pieces of a ``tokenizer.json`` by row, None where there is none."""
    with open(path, encoding="utf-8") as file:
        tokenizer = json.load(file)
    vocabulary = tokenizer.get("model", {}).get("vocab")
    if isinstance(vocabulary, list):  # Unigram: [piece, log probability] each
        by_row = {row: piece for row, (piece, _) in enumerate(vocabulary)}
    elif isinstance(vocabulary, dict):
        by_row = {row: piece for piece, row in vocabulary.items()}
    else:
        raise ValueError(f"{path} holds no vocabulary (model.vocab)")
    # Special symbols may be called anything.
    for token in tokenizer.get("added_tokens", []):
        by_row[token["id"]] = "<special>" if token.get("special") else token["content"]
    return [by_row.get(row) for row in range(max(by_row) + 1)]


def _read_safetensors(path):
    """The table of input embeddings, Float[V, D], of a Hugging Face directory."""
    try:
        from safetensors import safe_open
    except ImportError as error:
        raise ValueError(
            f"{path}: reading a Hugging Face directory needs the package safetensors: "
            "pip install 'fairseq_bytefusion[huggingface]'"
        ) from error
    files = sorted(n for n in os.listdir(path) if n.endswith(".safetensors"))
    for name in files:
        with safe_open(os.path.join(path, name), framework="pt") as tensors:
            keys = list(tensors.keys())
            for ending in _TABLE_ENDINGS:
                for key in keys:
                    if key.endswith(ending):
                        return tensors.get_tensor(key)
    raise FileNotFoundError(
        f"{path} has no table of embeddings ({', '.join(_TABLE_ENDINGS)}) in "
        f"{', '.join(files) or 'a .safetensors file'}"
    )
