"""Tables of embeddings in files: an array beside its pieces, a Hugging Face directory."""

import contextlib
import gzip
import json
import os
from typing import List, NamedTuple, Optional

import numpy as np
import torch

from ...text.files import open_text
from ...text.lines import raw_lines

# How Hugging Face models call the table of input embeddings.
_TABLE_ENDINGS = (
    "word_embeddings.weight",
    "embed_tokens.weight",
    "wte.weight",
    "shared.weight",
)


class Rows(NamedTuple):
    """What row i of ``table`` (Float[V, D]) is called; None where nobody says.

    ``are_words``: no name has a mark, and none is a special symbol, whatever it looks
    like.
    """

    names: List[Optional[str]]
    table: torch.Tensor
    are_words: bool = False


def check_lengths(rows, names_path, table_path):
    """``rows`` (Rows) if there are as many names as rows of the table.

    Raises:
        ValueError: otherwise.
    """
    if len(rows.names) != len(rows.table):
        raise ValueError(
            f"{names_path} has {len(rows.names)} entries and {table_path} "
            f"{len(rows.table)} rows"
        )
    return rows


def first_existing(candidates, what):
    """The first of ``candidates`` (list of str) that is there.

    Raises:
        FileNotFoundError: none is; says ``what`` it would be (str).
    """
    for path in candidates:
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"no such file: {' nor '.join(candidates)}, {what}")


@contextlib.contextmanager
def reading(path, what):
    """Let any error in the content of a file say which file it is (str).

    Raises:
        OSError: it cannot be opened.
        ValueError: it is not ``what`` (str) it should be.
    """
    # NumPy, gzip, json, pickle and safetensors each have errors of their own.
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
            raise
        kind = type(error).__name__
        raise ValueError(f"{path} is not {what} ({kind}: {error})") from error


def _read_lines(path):
    """The lines of a file of pieces: list of str."""
    with reading(path, "UTF-8 text"), open_text(path) as file:
        return [line.decode() for line in raw_lines(file)]


def read_npy(path):
    """An array, and the pieces beside it.

    Args:
        path (str): ``NAME.npy`` or ``NAME.npy.gz``.

    Returns:
        Rows

    Raises:
        OSError: a file is missing.
        ValueError: one of them is broken, or does not fit the other.
    """
    stem = path[: path.rindex(".npy")]
    short = stem[: -len(".f16")] if stem.endswith(".f16") else stem
    tsv = first_existing(
        [
            f"{s}{ending}"
            for s in dict.fromkeys((stem, short))
            for ending in (".tsv", ".vocab.tsv")
        ],
        f"what the rows of {path} spell",
    )
    opener = gzip.open if path.endswith(".gz") else open
    with reading(path, "a whole array of numbers"), opener(path, "rb") as file:
        # PyTorch knows the machine's own byte order only.
        table = np.load(file, allow_pickle=False).astype(np.float32)
    if table.ndim != 2:
        raise ValueError(f"{path} must have two dimensions, it has {table.ndim}")
    rows = [line.split("\t") for line in _read_lines(tsv)]
    names = [row[1] if len(row) > 1 else row[0] for row in rows]
    return check_lengths(Rows(names, torch.from_numpy(table)), tsv, path)


def read_hugging_face(path):
    """The table of input embeddings of a Hugging Face model.

    Args:
        path (str): its directory.

    Returns:
        Rows

    Raises:
        OSError: a file is missing.
        ValueError: a broken file, no vocabulary, more entries than rows, or the package
            safetensors is missing.
    """
    names_path = first_existing(
        [os.path.join(path, name) for name in ("tokenizer.json", "vocab.txt")],
        "the vocabulary of a Hugging Face model",
    )
    is_json = names_path.endswith(".json")
    names = _names_of_tokenizer(names_path) if is_json else _read_lines(names_path)
    table = _read_safetensors(path)
    if len(names) > len(table):  # fewer is usual: tables are padded to a round number
        check_lengths(Rows(names, table), names_path, path)
    return Rows(names + [None] * (len(table) - len(names)), table)


def _names_of_tokenizer(path):
    """The pieces of a ``tokenizer.json`` by row, None where there is none."""
    with reading(path, "a tokenizer of Hugging Face"):
        with open(path, encoding="utf-8") as file:
            tokenizer = json.load(file)
        by_row = _by_row(tokenizer.get("model", {}).get("vocab"))
        # Special symbols may be called anything.
        for token in tokenizer.get("added_tokens", []):
            by_row[token["id"]] = "<special>" if token.get("special") else token["content"]
        return [by_row.get(row) for row in range(max(by_row) + 1)]


def _by_row(vocabulary):
    """dict of int to str: what each row is called, of ``model.vocab``."""
    if isinstance(vocabulary, list):  # Unigram: [piece, log probability] each
        return {row: piece for row, (piece, _) in enumerate(vocabulary)}
    if isinstance(vocabulary, dict):
        return {row: piece for piece, row in vocabulary.items()}
    raise ValueError("it holds no vocabulary (model.vocab)")


def _read_safetensors(path):
    """The table of input embeddings, Float[V, D], of a Hugging Face directory."""
    try:
        from safetensors import safe_open
    except ImportError as error:
        raise ValueError(
            f"{path}: reading a Hugging Face directory needs the package safetensors: "
            "pip install safetensors"
        ) from error
    files = sorted(n for n in os.listdir(path) if n.endswith(".safetensors"))
    for name in files:
        file = os.path.join(path, name)
        with reading(file, "a whole safetensors file"), safe_open(file, "pt") as tensors:
            keys = list(tensors.keys())
            for ending in _TABLE_ENDINGS:
                for key in keys:
                    if key.endswith(ending):
                        return tensors.get_tensor(key)
    raise FileNotFoundError(
        f"{path} has no table of embeddings ({', '.join(_TABLE_ENDINGS)}) in "
        f"{', '.join(files) or 'a .safetensors file'}"
    )
