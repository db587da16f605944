"""Hugging Face directories: configuration, tokenizer, weights."""

import contextlib
import json
import os

import torch

from ..compat.transformers import import_transformers, quiet_transformers
from ..text.pieces import read_pieces

_WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
_SPECIAL = ("cls", "sep", "pad", "unk")
# What belongs to a machine, to the version that wrote it, or to the weights: they are read
# in 32 bits.
_NOT_KEPT = ("_name_or_path", "transformers_version", "dtype", "torch_dtype")


def read_parts(path, flag="--pretrained"):
    """What a checkpoint keeps of a Hugging Face directory.

    Args:
        path (str)
        flag (str): that gave it.

    Returns:
        dict: ``config``, ``tokenizer`` and ``special``, see
        :class:`~..modules.pretrained.PretrainedParts`.

    Raises:
        OSError: no such directory.
        ValueError: transformers is not installed; no weights in safetensors, no model that
            transformers knows, or no tokenizer that begins and ends a sentence and spells
            pieces in characters.
    """
    named = f"{flag} {path}"
    require_safetensors(named, path)
    transformers = import_transformers(named)
    with _reading(named), quiet_transformers(transformers):
        config = transformers.AutoConfig.from_pretrained(path, local_files_only=True)
        tokenizer = _tokenizer_class(transformers, path).from_pretrained(
            path, local_files_only=True
        )
    if not hasattr(tokenizer, "backend_tokenizer"):
        raise ValueError(
            f"{named} has a tokenizer without a tokenizer.json: make it with "
            "AutoTokenizer.from_pretrained(DIR).save_pretrained(DIR)"
        )
    # transformers makes one of special tokens where there is none.
    if set(tokenizer.backend_tokenizer.get_vocab()) <= set(tokenizer.all_special_tokens):
        raise ValueError(
            f"{named} has no tokenizer: put tokenizer.json, or vocab.txt, of that model "
            "there"
        )
    special = {name: getattr(tokenizer, f"{name}_token_id") for name in _SPECIAL}
    missing = [name for name, row in special.items() if row is None]
    if missing:
        raise ValueError(
            f"{named} is no encoder like BERT: its tokenizer has no "
            f"{' and no '.join(missing)}"
        )
    backend = tokenizer.backend_tokenizer
    try:
        read_pieces(list(backend.get_vocab()))
    except ValueError as error:
        raise ValueError(f"{named} cannot be read word by word: {error}") from error
    values = json.loads(config.to_json_string(use_diff=False))
    kept = {name: value for name, value in values.items() if name not in _NOT_KEPT}
    return {
        "config": json.dumps(kept, sort_keys=True),
        "tokenizer": backend.to_str(),
        "special": special,
    }


def _tokenizer_class(transformers, path):
    """What reads the tokenizer of a directory: ``tokenizer.json`` as it is, where it is
    there, whatever class wrote it."""
    if os.path.isfile(os.path.join(path, "tokenizer.json")):
        return transformers.PreTrainedTokenizerFast
    return transformers.AutoTokenizer


def require_safetensors(named, path):
    """Refuse a directory without weights that can be read safely.

    Args:
        named (str): the directory, for messages.
        path (str)

    Raises:
        OSError: there is none.
        ValueError: it has no weights, or only pickled ones, which can run any code.
    """
    if not os.path.isdir(path):
        raise FileNotFoundError(
            f"{named}: no such directory; it must hold config.json, a tokenizer and "
            "model.safetensors"
        )
    files = os.listdir(path)
    if any(name in files for name in _WEIGHTS):
        return
    pickles = [n for n in sorted(files) if n.endswith((".bin", ".pt", ".pth", ".ckpt"))]
    if pickles:
        raise ValueError(
            f"{named} has its weights in {pickles[0]}, a pickle, which can run any code "
            "when it is read: have somebody you trust write model.safetensors "
            "(save_pretrained)"
        )
    raise ValueError(f"{named} has no model.safetensors")


def read_layers(path, flag="--pretrained"):
    """The weights of an encoder.

    Args:
        path (str): a Hugging Face directory.
        flag (str): that gave it.

    Returns:
        dict of str to Float[...]: by the names of ``PretrainedParts.layers()``, and maybe a
        pooler's.

    Raises:
        OSError, ValueError: see :func:`read_parts`; weights are missing.
    """
    model, missing = _load(path, flag, "AutoModel")
    _refuse_missing(f"{flag} {path}", [n for n in missing if not n.startswith("pooler.")])
    return model.state_dict()


def read_masked_lm(path, new_head=False, flag="--pretrained"):
    """The weights of an encoder and its head over the pieces.

    Args:
        path (str): a Hugging Face directory.
        new_head (bool): the head is a new one, on top of the table.
        flag (str): that gave it.

    Returns:
        dict of str to Float[...]: by the names of ``PretrainedParts.masked_lm()``.

    Raises:
        OSError, ValueError: see :func:`read_parts`; weights or the head are missing, or a
            new head would replace one.
    """
    named = f"{flag} {path}"
    model, missing = _load(path, flag, "AutoModelForMaskedLM")
    of_layers = {f"{model.base_model_prefix}.{n}" for n in model.base_model.state_dict()}
    _refuse_missing(named, [name for name in missing if name in of_layers])
    if missing and not new_head:
        raise ValueError(
            f"{named} has no head for masked language modelling "
            f"({', '.join(sorted(missing)[:3])}): give --new-head, which trains one, or "
            "the directory of a model with a head"
        )
    if new_head and not missing:
        raise ValueError(f"{named} has a head, which --new-head would replace: drop that")
    return model.state_dict()


@contextlib.contextmanager
def _reading(named):
    """Let any error of transformers be one line about the directory."""
    # Some of its errors of content are OSErrors.
    try:
        yield
    except Exception as error:
        first_line = str(error).strip().partition("\n")[0]
        raise ValueError(
            f"{named} is not a model of Hugging Face ({type(error).__name__}: {first_line})"
        ) from error


def _load(path, flag, name):
    """A model of transformers, and which weights the directory lacks (list of str)."""
    named = f"{flag} {path}"
    require_safetensors(named, path)
    transformers = import_transformers(named)
    with _reading(named), quiet_transformers(transformers):
        model, info = getattr(transformers, name).from_pretrained(
            path,
            local_files_only=True,
            use_safetensors=True,
            output_loading_info=True,
            dtype=torch.float32,
        )
    return model, list(info["missing_keys"])


def _refuse_missing(named, missing):
    if missing:
        raise ValueError(
            f"{named} lacks {len(missing)} weights of its model, such as {missing[0]}: it "
            "is not complete"
        )
