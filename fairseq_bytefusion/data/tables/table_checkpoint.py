"""The table of embeddings in the encoder of a fairseq checkpoint."""

import os

import torch
from fairseq import checkpoint_utils, utils
from fairseq.data import Dictionary

from ...modules.embedders.mixture import OTHER_WORDS, fingerprint
from ...text import UNITS, load_dictionary
from ...text.word_list import hash_words, known_words, read_word_list
from .table_files import Rows, check_lengths, first_existing, reading

# Where a checkpoint keeps its encoder's table.
_MIXTURE = "encoder.embed_tokens.table."
_DENSE = "encoder.embed_tokens.weight"


def read_checkpoint(path):
    """The table of a mixture's words, or that of a translation model of fairseq.

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
        state = checkpoint_utils.load_checkpoint_to_cpu(path)
        task, parameters = state["cfg"]["task"], state["model"]
        # A language that was not given but found in DATA is not in the config.
        language = getattr(task, "source_lang", None) or state.get("task_state", {}).get(
            "source_lang"
        )
    unit = getattr(task, "source_unit", None)
    if _MIXTURE + "weight" in parameters:
        source = _find_names(path, task, "dict.word", language)
        return _read_words(path, source, unit or "byte", language, parameters)
    if _DENSE not in parameters:
        raise ValueError(f"{path} has no table of embeddings in its encoder ({_DENSE})")
    if unit:
        raise ValueError(
            f"{path} has a table of {UNITS[unit].plural} (--source-unit {unit}), and words "
            "are to be learned: give a model with --encoder-embedder mixture, or another "
            "table of words"
        )
    source = _find_names(path, task, "dict", language)
    rows = Rows(Dictionary.load(source).symbols, parameters[_DENSE])
    return check_lengths(rows, source, path)


def _read_words(path, source, unit, language, parameters):
    dictionary = load_dictionary(unit, os.path.dirname(source), [language])
    words = known_words(read_word_list(source), dictionary)
    names = [word.decode("utf-8", "surrogateescape") for word in words]
    rows = Rows(names, parameters[_MIXTURE + "weight"], are_words=True)
    check_lengths(rows, source, path)
    found = fingerprint(hash_words(words, dictionary))
    # A checkpoint may be older than fingerprints.
    saved = parameters.get(_MIXTURE + "fingerprint", found)
    if not torch.equal(saved.to(found), found):
        raise ValueError(f"{path} and {source}: {OTHER_WORDS}")
    return rows


def _find_names(path, task, kind, language):
    """The file that says what the rows spell: beside the checkpoint, or in its data."""
    name = f"{kind}.{language}.txt" if language else f"{kind}.txt"
    folders = [os.path.dirname(path) or ".", *utils.split_paths(getattr(task, "data", ""))]
    return first_existing(
        [os.path.join(folder, name) for folder in folders],
        f"what the rows of {path} spell: copy it there",
    )
