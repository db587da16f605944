"""What people download, as blocks of pairs: files, folders, TSV, TMX, zips, FLORES.

Each reader of :data:`READERS` takes the paths given for it and a :class:`Languages`, and
returns :class:`Corpus` objects; nothing is read before ``Corpus.blocks`` is called.
"""

import os
import re
from dataclasses import dataclass, field
from typing import Callable, Tuple

from data_prep.blocks import Stream, aligned_blocks, line_blocks, record_blocks
from data_prep.tmx import tmx_pairs
from data_prep.zips import check_members, open_members, split_stem, text_names

# Names that splits have in folders; the first of a row is ours.
SPLITS = {"train": ["train"], "valid": ["valid", "dev", "val"], "test": ["test", "devtest"]}
_SPLIT_OF = {name: split for split, names in SPLITS.items() for name in names}
_PACKED = re.compile(r"\.(gz|bz2|xz|zst)$")


@dataclass(frozen=True)
class Languages:
    """Codes of a pair: ``source``, ``target`` in the output and, where the input
    writes them differently (``deu_Latn``), ``source_code``, ``target_code`` there.
    ``columns``: the two columns of a TSV file, from 1."""

    source: str
    target: str
    source_code: str = ""
    target_code: str = ""
    columns: Tuple[int, int] = (1, 2)

    @property
    def codes(self):
        return self.source_code or self.source, self.target_code or self.target


@dataclass
class Corpus:
    """Pairs of one split.

    ``paths`` are the files read; ``size`` is their size in bytes on disk;
    ``blocks(progress)`` iterates over PairBlocks and calls ``progress(bytes)``;
    ``member`` says which part of the file it is, such as ``/B.de-en`` of a zip.
    """

    split: str
    paths: Tuple[str, ...]
    blocks: Callable = field(repr=False)
    member: str = ""

    @property
    def size(self):
        return sum(os.path.getsize(path) for path in self.paths)


def read_pair(paths, languages=None, split="train"):
    """Two files, plain or compressed, ``(source, target)``."""
    source, target = map(_existing, paths)

    def blocks(progress=None):
        with Stream(source, progress) as left, Stream(target, progress) as right:
            yield from aligned_blocks(left, right)

    return [Corpus(split, (source, target), blocks)]


def read_folder(paths, languages):
    """A folder of ``train.de.gz``, ``train.en.gz`` (multi-parallel) or
    ``train.de-en.de`` ...; ``dev`` and ``devtest`` become valid and test.

    Raises:
        ValueError: no split has both languages; the message lists what is there.
    """
    (folder,) = paths
    found = {}
    for name in sorted(_listdir(folder)):
        split, lang = _parse_name(name, languages.codes)
        if split is not None and lang in languages.codes:
            path = os.path.join(folder, name)
            if found.setdefault((split, lang), path) != path:
                raise ValueError(
                    f"{folder} has two files for the {split} split of {lang}, "
                    f"{os.path.basename(found[split, lang])} and {name}: "
                    "move one of them away, or name the right pair with --pair"
                )
    corpora = []
    for split in SPLITS:
        pair = [found.get((split, code)) for code in languages.codes]
        if all(pair):
            corpora += read_pair(pair, split=split)
        elif any(pair):
            missing = languages.codes[pair.index(None)]
            raise ValueError(
                f"{next(filter(None, pair))} has no other half in {missing}: add that "
                f"file to {folder}, or move this one away"
            )
    return corpora or _no_languages(folder, _listdir(folder), languages)


def _parse_name(name, codes):
    """(split, language) of ``train.de.gz`` or ``train.de-en.de``, else two Nones."""
    stem = _PACKED.sub("", name)
    match = re.fullmatch(r"([^.]+)(?:\.([^.]+))?\.([^.]+)", stem)
    if match is None or match[1] not in _SPLIT_OF:
        return None, None
    pairs = {None, "-".join(codes), "-".join(reversed(codes))}
    return (_SPLIT_OF[match[1]], match[3]) if match[2] in pairs else (None, None)


def read_flores(paths, languages):
    """A FLORES-101 or FLORES-200 folder: ``dev`` becomes valid, ``devtest`` test."""
    (folder,) = paths
    corpora = []
    for split, name in (("valid", "dev"), ("test", "devtest")):
        inner = os.path.join(folder, name)
        pair = [os.path.join(inner, f"{code}.{name}") for code in languages.codes]
        if not all(map(os.path.exists, pair)):
            _no_languages(inner, _listdir(inner), languages)
        corpora += read_pair(pair, split=split)
    return corpora


def read_zip(paths, languages):
    """A Moses-format zip of OPUS: the members ``*.de`` and ``*.en`` of one stem; where
    there are several, ``FILE.zip/STEM`` is one of them.

    Raises:
        ValueError: no stem has both languages, or several have; members that cannot be
            read.
    """
    path, chosen = split_stem(paths[0])
    path = _existing(path)
    names = text_names(path)
    stems = set.intersection(
        *({n[: -len(c) - 1] for n in names if n.endswith("." + c)} for c in languages.codes)
    )
    if chosen:
        stems &= {chosen}
    if not stems:
        _no_languages(paths[0], names, languages)
    if len(stems) > 1:
        raise ValueError(
            f"{path} has several pairs of files, {', '.join(sorted(stems))}: choose one "
            f"(--moses-zip {path}/{min(stems)}), or give each"
        )
    (stem,) = stems
    members = [f"{stem}.{code}" for code in languages.codes]
    check_members(path, members)

    def blocks(progress=None):
        with open_members(path, members, progress) as streams:
            yield from aligned_blocks(*streams)

    return [Corpus("train", (path,), blocks, chosen and f"/{chosen}")]


def read_tsv(paths, languages):
    """Tab-separated text, plain or compressed; rows without both columns are malformed."""
    path = _existing(paths[0])
    first, second = (column - 1 for column in languages.columns)

    def records(stream):
        for line in _lines(stream):
            cells = line.split(b"\t")
            whole = max(first, second) < len(cells)
            yield (cells[first], cells[second]) if whole else None

    def blocks(progress=None):
        with Stream(path, progress) as stream:
            yield from record_blocks(records(stream))

    return [Corpus("train", (path,), blocks)]


def _lines(stream):
    for block in line_blocks(stream):
        yield from block[:-1].split(b"\n")


def read_tmx(paths, languages):
    """A TMX file: units without both languages are malformed. See :mod:`data_prep.tmx`."""
    path = _existing(paths[0])

    def blocks(progress=None):
        with Stream(path, progress, recode=False) as stream:
            yield from record_blocks(tmx_pairs(stream, languages.codes))

    return [Corpus("train", (path,), blocks)]


def _existing(path):
    """``path`` as str, if there is a file or a pipe.

    Raises:
        OSError: says what is there instead.
    """
    path = str(path)
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a folder, not a file: give a file in it")
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        if os.path.islink(path):
            raise FileNotFoundError(
                f"{path} is a link to {os.readlink(path)}, which is not there"
            ) from error
        folder = os.path.dirname(path) or "."
        there = (
            ", ".join(sorted(_listdir(folder))[:10]) if os.path.isdir(folder) else "nothing"
        )
        raise FileNotFoundError(f"no such file: {path}. {folder} holds: {there}") from error
    return path


def _listdir(folder):
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"no such folder: {folder}")
    return os.listdir(folder)


def _no_languages(path, names, languages):
    shown = ", ".join(sorted(names)[:12]) + (", ..." if len(names) > 12 else "")
    raise ValueError(
        f"{path} has no files of both {' and '.join(languages.codes)}; it holds: "
        f"{shown or 'nothing'}. Give the codes these names use with --source-code and "
        "--target-code"
    )


#: flag -> (reader, how many paths it takes, names of these)
READERS = {
    "pair": (read_pair, ("SOURCE", "TARGET")),
    "folder": (read_folder, ("DIR",)),
    "tsv": (read_tsv, ("FILE",)),
    "tmx": (read_tmx, ("FILE",)),
    "moses-zip": (read_zip, ("FILE",)),
    "flores": (read_flores, ("DIR",)),
}
