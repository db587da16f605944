"""The table of embeddings in the encoder of a fairseq checkpoint."""

import os

from fairseq import checkpoint_utils, utils
from fairseq.data import Dictionary

from ..text.word_list import read_word_list
from .table_files import first_existing, paired

# Where a checkpoint keeps its encoder's table, and which file names the rows.
_MIXTURE_TABLE = "encoder.embed_tokens.table.weight"
_ENCODER_TABLE = "encoder.embed_tokens.weight"


def read_checkpoint(path):
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
    dictionary = first_existing(
        [os.path.join(folder, name) for folder in folders],
        f"what the rows of {path} spell: copy it there",
    )
    if key == _MIXTURE_TABLE:
        words = read_word_list(dictionary)
        names = [word.decode("utf-8", "surrogateescape") for word in words]
    else:
        names = Dictionary.load(dictionary).symbols
    return paired(names, parameters[key], dictionary, path)
