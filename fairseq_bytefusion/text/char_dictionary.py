"""A fairseq dictionary whose symbols are characters: ``dict.char.<lang>.txt``."""

import hashlib
import io

import numpy as np
import torch

from .char_symbols import char_of
from .files import HEAD_BYTES, check_plain
from .lines import raw_lines
from .text_dictionary import TextDictionary


class CharDictionary(TextDictionary):
    """Special symbols, then one symbol a Unicode character, spaces among them.

    Bytes that are not UTF-8 are read as U+FFFD; what is not among the characters is
    ``<unk>``.

    Args:
        chars (iterable of str): the characters in order.

    Raises:
        ValueError: not a character, a line break, or one that comes twice.
    """

    unit, plural = "char", "characters"
    filename = "dict.char.{}.txt"

    def __init__(self, chars):
        super().__init__()
        self._chars = [""] * self.nspecial
        for char in chars:
            if len(char) != 1 or char == "\n" or char in self:
                raise ValueError(f"not a new character of a line: {char!r}")
            self.add_symbol(char)
            self._chars.append(char)
        self.fix()
        codes = np.array([ord(char) for char in self._chars[self.nspecial :]], np.int64)
        # The last place stands for all code points above the largest known one.
        self._ids = np.full(codes.max(initial=0) + 2, self.unk(), np.int32)
        self._ids[codes] = np.arange(self.nspecial, len(self))

    @classmethod
    def from_file(cls, path):
        """Read a dictionary of ``symbol count`` lines, see :mod:`.char_symbols`.

        Args:
            path (str)

        Raises:
            OSError: it cannot be read.
            ValueError: a line that is no character and count, or a character twice; it
                is no plain UTF-8.
        """
        with open(path, "rb") as file:
            content = file.read()
        check_plain(content[:HEAD_BYTES], path)
        chars = {}
        for number, line in enumerate(raw_lines(io.BytesIO(content)), start=1):
            symbol, _, count = line.rpartition(b" ")
            char = char_of(symbol.decode("utf-8", "replace"))
            if char in (None, "\n") or not count.isdigit() or char in chars:
                raise ValueError(
                    f"{path}, line {number}: not a new character and its count: {line!r}"
                )
            chars[char] = int(count)
        if not chars:
            raise ValueError(f"{path} holds no character")
        dictionary = cls(chars)
        dictionary.path, dictionary.digest = path, hashlib.sha256(content).hexdigest()
        return dictionary

    def symbol_ids(self, raw):
        """int32[T]: the characters of ``raw`` (bytes)."""
        codes = raw.decode("utf-8", "replace").encode("utf-32-le")
        codes = np.frombuffer(codes, np.uint32)
        return self._ids[np.minimum(codes, len(self._ids) - 1)]

    def decode_bytes(self, ids):
        """bytes: UTF-8 of the characters among ``ids`` (Tensor[T] or sequence of int)."""
        ids = torch.as_tensor(ids).reshape(-1).tolist()
        known = range(len(self._chars))
        return "".join(self._chars[i] for i in ids if i in known).encode("utf-8")
