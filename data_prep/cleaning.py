"""What is done to every pair, and which pairs are dropped for which reason."""

import codecs
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import Optional, Tuple

import numpy as np

from data_prep.line_hash import contains, find_lines, hash_lines, hash_pairs, select_lines
from data_prep.moses import moses_tokenizer

NO_HASHES = np.empty(0, np.uint64)
_BOM = codecs.BOM_UTF8
_ASCII_SPACES = "\n\t\v\f\r \x1c\x1d\x1e\x1f"
_WIDE_SPACES = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


class Normaliser:
    """Makes a side of a block what the raw-text layout wants; keeps the number of lines.

    Drops every ``\\r`` right before ``\\n`` and byte-order marks at the start of a
    line; then, if asked to, NFC and Moses tokenisation. Bytes that are not UTF-8 stay.

    Args:
        nfc (bool): Unicode normal form C.
        moses (str, optional): language of the Moses tokenizer.
    """

    def __init__(self, nfc=False, moses=None):
        self._nfc, self._moses = nfc, moses

    def __call__(self, block):
        """bytes -> bytes, both empty or ended by ``\\n``."""
        return self.both(block)[1].block

    def both(self, block):
        """Lines before tokenisation, and after it."""
        block = strip_marks(block)
        plain = find_lines(_to_nfc(block) if self._nfc else block)
        return plain, find_lines(self._tokenized(plain.block)) if self._moses else plain

    def _tokenized(self, block):
        tokenize = moses_tokenizer(self._moses)
        lines = block.decode("utf-8", "surrogateescape").split("\n")[:-1]
        text = "".join(tokenize(line).replace("\n", " ") + "\n" for line in lines)
        return text.encode("utf-8", "surrogateescape")


def strip_marks(block):
    """A block of whole lines (bytes) without byte-order marks and CRs at line ends.

    More than a reader of text takes away: downloads are often several files in one, with
    the marks of each within, and none of these means anything in a sentence.
    """
    # Loops, so that no line end or mark is left behind by what was stripped.
    while b"\r\n" in block:
        block = block.replace(b"\r\n", b"\n")
    while block.startswith(_BOM):
        block = block[len(_BOM) :]
    while b"\n" + _BOM in block:
        block = block.replace(b"\n" + _BOM, b"\n")
    return block


def _to_nfc(block):
    # A line end composes with nothing, so a block is normalised as its lines are.
    if block.isascii():
        return block
    text = block.decode("utf-8", "surrogateescape")
    return unicodedata.normalize("NFC", text).encode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class Rules:
    """Which pairs are dropped.

    ``max_bytes``: of a side, before it is tokenised; ``max_ratio``: longer side by
    shorter, in bytes.
    ``excluded``, ``held_out``: hashes of sentences (sorted uint64[N]), of the files given
    with ``--exclude`` and of this run's own valid and test sets.
    """

    max_bytes: int = 800
    max_ratio: float = 9.0
    excluded: np.ndarray = field(default_factory=lambda: NO_HASHES, repr=False)
    held_out: np.ndarray = field(default_factory=lambda: NO_HASHES, repr=False)


#: in the order in which they are looked for; a pair is counted under the first
REASONS = (
    "malformed",
    "not_utf8",
    "empty",
    "too_long",
    "ratio",
    "excluded",
    "held_out",
    "duplicate",
)


@dataclass
class CleanBlock:
    """The kept pairs of a block: ``source``, ``target`` as bytes of whole lines, and
    uint64[N] hashes of pairs and sides; ``read`` records; ``dropped``: count a reason.
    """

    source: bytes
    target: bytes
    pair_hashes: np.ndarray
    side_hashes: Tuple[np.ndarray, np.ndarray]
    read: int
    dropped: Counter


class Cleaner:
    """PairBlock -> CleanBlock. Knows one block at a time; duplicates are found later.

    Args:
        normalisers (tuple): a :class:`Normaliser` for either side.
        rules (Rules, optional): without, every pair is kept.
    """

    def __init__(self, normalisers, rules: Optional[Rules] = None):
        self._normalisers, self._rules = normalisers, rules

    def __call__(self, block):
        plain_source, source = self._normalisers[0].both(block.source)
        plain_target, target = self._normalisers[1].both(block.target)
        plain_lengths = np.maximum(plain_source.lengths, plain_target.lengths)
        dropped = Counter(malformed=block.malformed)
        keep = np.ones(len(source), bool)

        def drop(reason, where):
            dropped[reason] += int((keep & where).sum())
            np.logical_and(keep, ~where, out=keep)

        if self._rules is not None:
            self._drop_by_form(source, target, plain_lengths, drop)
        hashes = hash_lines(source, keep), hash_lines(target, keep)
        if self._rules is not None:
            kept = np.flatnonzero(keep)
            for name in ("excluded", "held_out"):
                members = getattr(self._rules, name)
                leaks = contains(members, hashes[0]) | contains(members, hashes[1])
                where = np.zeros_like(keep)
                where[kept[leaks]] = True
                drop(name, where)
            hashes = tuple(side[keep[kept]] for side in hashes)
        return CleanBlock(
            select_lines(source, keep),
            select_lines(target, keep),
            hash_pairs(*hashes),
            hashes,
            len(source) + block.malformed,
            dropped,
        )

    def _drop_by_form(self, source, target, plain_lengths, drop):
        drop("not_utf8", ~(_is_utf8(source) & _is_utf8(target)))
        drop("empty", _is_blank(source) | _is_blank(target))
        longer = np.maximum(source.lengths, target.lengths)
        shorter = np.minimum(source.lengths, target.lengths)
        drop("too_long", plain_lengths > self._rules.max_bytes)
        drop("ratio", longer > shorter * self._rules.max_ratio)


def _is_utf8(lines):
    """bool[N]: which lines are UTF-8."""
    try:
        lines.block.decode("utf-8")
        return np.ones(len(lines), bool)
    except UnicodeDecodeError:
        return np.array([_decodes(line) for line in lines.block[:-1].split(b"\n")])


def _decodes(raw):
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _byte_table(characters, place):
    """bool[256]: which bytes are at ``place`` in the UTF-8 of a character."""
    table = np.zeros(256, bool)
    table[[character.encode()[place] for character in characters]] = True
    return table


_ASCII_SPACE = _byte_table(_ASCII_SPACES, 0)
_WIDE_FIRST = _byte_table(_WIDE_SPACES, 0)
_WIDE_SECOND = _byte_table(_WIDE_SPACES, 1)


def _is_blank(lines):
    """bool[N]: which lines hold nothing but whitespace."""
    data = np.frombuffer(lines.block, np.uint8)
    first = data[lines.starts]
    second = data[np.minimum(lines.starts + 1, len(data) - 1)]
    # Few lines begin like a space; only these are looked at one by one.
    blank = _ASCII_SPACE[first] | (_WIDE_FIRST[first] & _WIDE_SECOND[second])
    for i in np.flatnonzero(blank & (lines.lengths > 0)).tolist():
        blank[i] = not lines[i].decode("utf-8", "replace").strip()
    return blank
