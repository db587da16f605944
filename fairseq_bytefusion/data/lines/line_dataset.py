"""A memory-mapped text file as a fairseq dataset: one sentence a line."""

import logging

import numpy as np
from fairseq.data import FairseqDataset

from ...text import ByteDictionary
from .array_cache import spilled
from .line_index import open_line_index
from .line_sizes import line_sizes

logger = logging.getLogger(__name__)


class LineDataset(FairseqDataset):
    """The lines of ``path`` as ids; text and lengths are mapped, not held in memory.

    Args:
        path (str): UTF-8 text, ``\\n`` the only line end. Lines that are not
            UTF-8 are counted and logged, and used as the bytes they are or, by
            another unit than the byte, as U+FFFD.
        dictionary (TextDictionary): turns a line into ids. How many of these a line
            has is counted once where it is not the number of bytes, and what is
            ``<unk>`` is logged.
        max_length (int, optional): sentences of more ids (``</s>`` included) are
            cut at the start of a UTF-8 character; how many is logged.

    Raises:
        OSError: ``path`` cannot be read.
    """

    def __init__(self, path, dictionary, max_length=None):
        super().__init__()
        self.path = path
        self.dictionary = dictionary
        self.max_length = max_length
        self._index = open_line_index(path)
        self._data = None
        #: int32[N], number of ids of each sentence, ``</s>`` included
        self.sizes = self._sizes()
        if self._index.num_invalid:
            logger.warning(
                "%s: %d of %d lines are not UTF-8; they are used as %s",
                path,
                self._index.num_invalid,
                len(self),
                "bytes" if isinstance(dictionary, ByteDictionary) else "U+FFFD",
            )
        if max_length is not None:
            self._cut(max_length)

    def _sizes(self):
        if isinstance(self.dictionary, ByteDictionary):
            return self._index.sizes
        sizes, num_unknown = line_sizes(
            self.path, len(self), self.line_bytes, self.dictionary
        )
        num_symbols = int(sizes.sum()) - len(sizes)
        logger.info(
            "%s: %d of %d %s (%.3f%%) are <unk>",
            self.path,
            num_unknown,
            num_symbols,
            self.dictionary.plural,
            100 * num_unknown / max(num_symbols, 1),
        )
        return sizes

    def _cut(self, max_length):
        count = int((self.sizes > max_length).sum())
        if count:
            self.sizes = spilled(np.minimum(self.sizes, np.int32(max_length)))
            logger.warning(
                "%s: %d of %d sentences have more than %d %s and are cut there",
                self.path,
                count,
                len(self),
                max_length - 1,
                self.dictionary.plural,
            )

    def __len__(self):
        return len(self._index)

    def line_bytes(self, index):
        """The whole line ``index``, without its line end, as bytes."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"{self.path} has {len(self)} lines, no line {index}")
        if self._data is None:
            self._data = np.memmap(self.path, np.uint8, "r")
        start = self._index.starts[index]
        return self._data[start : start + self._index.sizes[index] - 1].tobytes()

    def __getitem__(self, index):
        """LongTensor[T]: the ids of sentence ``index``, ``</s>`` last."""
        ids = self.dictionary.encode_line(self.line_bytes(index)).long()
        if self.max_length is not None:
            ids = self.dictionary.truncate(ids, self.max_length)
        return ids

    def num_tokens(self, index):
        return self.sizes[index]

    def size(self, index):
        return self.sizes[index]

    def __getstate__(self):
        # The text would be pickled by content, as the index is; a worker maps it anew.
        return {**self.__dict__, "_data": None}
