"""Running prepare.py in this process and reading what it made."""

import json
from pathlib import Path

import pytest

from data_prep.options import parse_args
from data_prep.prepare import prepare


def zstandard_compress(raw):
    """zstd, with its sum; skips the test where the package is missing."""
    zstandard = pytest.importorskip("zstandard")
    return zstandard.ZstdCompressor(write_checksum=True).compress(raw)


def write(path, lines):
    """Write lines (str or bytes); returns the path as str."""
    raw = [line.encode() if isinstance(line, str) else line for line in lines]
    Path(path).write_bytes(b"".join(line + b"\n" for line in raw))
    return str(path)


def run_prepare(out, *flags):
    """``prepare.py -s xx -t en --out OUT FLAGS``; returns the pair's stats."""
    flags = [str(flag) for flag in flags]
    return prepare(parse_args("", ["-s", "xx", "-t", "en", "--out", str(out), *flags]))


def run_pair(folder, sources, targets, *flags, out=None):
    """Prepare two lists of lines; returns the output folder and the stats."""
    folder = Path(folder)
    out = out or folder / "out"
    paths = write(folder / "in.xx", sources), write(folder / "in.en", targets)
    return out, run_prepare(out, "--pair", *paths, *flags)


def lines_of(out, split="train"):
    """The pairs of a split, as a list of (bytes, bytes)."""
    sides = [
        (Path(out) / f"{split}.xx-en.{lang}").read_bytes().split(b"\n")
        for lang in ("xx", "en")
    ]
    assert all(side.pop() == b"" for side in sides)
    assert len(sides[0]) == len(sides[1])
    return list(zip(*sides))


def recorded(out):
    """What stats.json says of the pair."""
    return json.loads((Path(out) / "stats.json").read_text("utf-8"))["xx-en"]


def everything(out):
    """Name -> content of the files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(Path(out).iterdir())}


def numbered(count):
    """``count`` sources and targets, the last 20 of them copies."""
    return [f"satz nummer {i % (count - 20)}" for i in range(count)], [
        f"sentence number {i % (count - 20)}" for i in range(count)
    ]
