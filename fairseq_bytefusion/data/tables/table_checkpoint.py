"""The table of embeddings in the encoder of a fairseq checkpoint."""

import os

import torch
from fairseq import utils
from fairseq.data import Dictionary

from ...checkpoints.reading import open_checkpoint
from ...text import UNITS, load_dictionary
from ...text.word_list import (
    OTHER_WORDS,
    fingerprint,
    hash_words,
    known_words,
    read_word_list,
)
from .table_files import Rows, check_lengths, first_existing, reading

# Where a checkpoint keeps its encoder's table.
_WORDS = "encoder.embed_tokens.table."
_DENSE = "encoder.embed_tokens.weight"


def read_checkpoint(path):
    """The table of known words, or that of a translation model of fairseq.

    Args:
        path (str): ``.pt``.

    Returns:
        Rows

    Raises:
        OSError: a file is missing.
        ValueError: no such checkpoint, a table of bytes, characters or other symbols of
            text, or a list of words that is not that of training.
    """
    with reading(path, "a checkpoint of fairseq"):
        checkpoint = open_checkpoint(path)
    if _WORDS + "weight" in checkpoint.parameters:
        return _read_words(checkpoint)
    if _DENSE not in checkpoint.parameters:
        raise ValueError(f"{path} has no table of embeddings in its encoder ({_DENSE})")
    unit = checkpoint.task_options.get("source_unit")
    if unit:
        raise ValueError(
            f"{path} has a table of {UNITS[unit].plural} (--source-unit {unit}), and words "
            "are to be learned: give a model with --encoder-embedder mixture or words, or "
            "another table of words"
        )
    source = _find_names(checkpoint, "dict")
    with reading(source, "a dictionary of fairseq"):
        names = Dictionary.load(source).symbols
    return check_lengths(Rows(names, checkpoint.parameters[_DENSE]), source, path)


def _read_words(checkpoint):
    """Rows of known words: the checkpoint says what they spell, or else the file does."""
    table = checkpoint.parameters[_WORDS + "weight"]
    words = checkpoint.source_words
    if words is not None:
        return check_lengths(_rows(words, table), "its list of words", checkpoint.path)
    source = _find_names(checkpoint, "dict.word")
    unit = checkpoint.task_options.get("source_unit") or "byte"
    dictionary = load_dictionary(unit, os.path.dirname(source), [_language(checkpoint)])
    words = known_words(read_word_list(source), dictionary)
    rows = check_lengths(_rows(words, table), source, checkpoint.path)
    found = fingerprint(hash_words(words, dictionary))
    # A checkpoint may be older than fingerprints.
    saved = checkpoint.parameters.get(_WORDS + "fingerprint", found)
    if not torch.equal(saved.to(found), found):
        raise ValueError(f"{checkpoint.path} and {source}: {OTHER_WORDS}")
    return rows


def _rows(words, table):
    names = [word.decode("utf-8", "surrogateescape") for word in words]
    return Rows(names, table, are_words=True)


def _language(checkpoint):
    """str: the source language; None in a checkpoint that does not say."""
    # A language that was not given but found in DATA is not among the options.
    given = checkpoint.task_options.get("source_lang")
    return given or checkpoint.task_state.get("source_lang")


def _find_names(checkpoint, kind):
    """The file that says what the rows spell: beside the checkpoint, or in its data."""
    language = _language(checkpoint)
    name = f"{kind}.{language}.txt" if language else f"{kind}.txt"
    data = checkpoint.task_options.get("data", "")
    folders = [os.path.dirname(checkpoint.path) or ".", *utils.split_paths(data)]
    return first_existing(
        [os.path.join(folder, name) for folder in folders],
        f"what the rows of {checkpoint.path} spell: copy it there",
    )
