"""What every step writes down: command, time, machine, versions, hashes of data."""

import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from data_prep.output import write_atomically  # noqa: E402

PACKAGES = ("torch", "fairseq", "fairseq-fixed", "numpy", "sacrebleu", "sentencepiece")


def versions():
    """Name -> version of what the step ran with; ``code``: commit of this repository."""
    found = {"python": platform.python_version()}
    found.update((package, _version(package)) for package in PACKAGES)
    return {**{k: v for k, v in found.items() if v is not None}, "code": _commit()}


def _version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _commit():
    command = ("git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude", "*")
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "not under git"
    return result.stdout.strip() or "not under git"


def sha256(path):
    """Hash of a file's content, in hex."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def data_hashes(path):
    """Name -> SHA-256 of what a training reads.

    Of a data directory, text and vocabularies; of a model's, all files; of a table, it and
    the lists beside it whose names begin alike.
    """
    folder, name = os.path.split(path)
    names = sorted(os.listdir(path if os.path.isdir(path) else folder or "."))
    if os.path.isdir(path):
        folder = path
        kinds = ("train.", "valid.", "spm.", "dict.")
        texts = [n for n in names if n.startswith(kinds) and not n.endswith(".npy")]
        names = texts or [n for n in names if os.path.isfile(os.path.join(path, n))]
    else:
        names = [n for n in names if n.split(".")[0] == name.split(".")[0]]
    return {name: sha256(os.path.join(folder, name)) for name in names}


def write_json(path, content):
    """Write a JSON file that is there whole or not at all."""
    text = json.dumps(content, indent=2, ensure_ascii=False)
    write_atomically(str(path), text.encode() + b"\n")


def read_json(path):
    """The content of a JSON file."""
    with open(path, encoding="utf-8", newline="\n") as file:
        return json.load(file)
