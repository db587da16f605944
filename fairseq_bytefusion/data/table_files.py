"""Tables of embeddings in files: an array beside its pieces, a Hugging Face directory."""

import gzip
import json
import os

import numpy as np
import torch

# How Hugging Face models call the table of input embeddings.
_TABLE_ENDINGS = (
    "word_embeddings.weight",
    "embed_tokens.weight",
    "wte.weight",
    "shared.weight",
)


def paired(names, table, names_path, table_path):
    """``names`` and ``table`` where there are as many of the one as of the other."""
    if len(names) != len(table):
        raise ValueError(
            f"{names_path} has {len(names)} entries and {table_path} {len(table)} rows"
        )
    return names, table


def first_existing(candidates, what):
    for path in candidates:
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"no such file: {' nor '.join(candidates)}, {what}")


def read_npy(path):
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
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        table = np.load(file, allow_pickle=False)
    if table.ndim != 2:
        raise ValueError(f"{path} must have two dimensions, it has {table.ndim}")
    with open(tsv, encoding="utf-8", newline="\n") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    names = [row[1] if len(row) > 1 else row[0] for row in rows]
    return paired(names, torch.from_numpy(table), tsv, path)


def read_hugging_face(path):
    names_path = first_existing(
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
        paired(names, table, names_path, path)
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
