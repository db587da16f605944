"""Sentences in memory as a fairseq dataset; over-long ones are cut behind a word."""

import logging

import numpy as np
import torch
from fairseq.data import FairseqDataset

from ..text.words import WHITESPACE, symbol_tables

logger = logging.getLogger(__name__)


class EncodedTexts(FairseqDataset):
    """Texts as ids.

    Args:
        texts (iterable of str or bytes)
        dictionary (TextDictionary): turns one into ids; what is ``<unk>`` is logged.
        max_length (int, optional): sentences of more ids (``</s>`` included) are cut
            behind a word, or within one that is longer than that; how many is logged.
        name (str): of the texts, for messages.
        shorten (callable, optional): Int[T] to its beginning, ``</s>`` last: a sentence cut
            behind the last word that a model has room for; how many are cut is logged.
        too_long (str): what sentences have that are.
    """

    def __init__(
        self,
        texts,
        dictionary,
        max_length=None,
        name="the text",
        shorten=None,
        too_long=None,
    ):
        super().__init__()
        self.dictionary, self.max_length, self.name = dictionary, max_length, name
        is_space = symbol_tables(dictionary)[WHITESPACE].numpy()
        rows, uncut, num_shortened, num_over = [], [], 0, 0
        for text in texts:
            ids = dictionary.encode_line(text)
            uncut.append(len(ids))
            ids = self._cut(ids, is_space)
            num_over += len(ids) < uncut[-1]
            fitting = ids if shorten is None else shorten(ids)
            num_shortened += len(fitting) < len(ids)
            rows.append(fitting.numpy())
        #: int32[N], number of ids of each sentence, ``</s>`` included
        self.sizes = np.array([len(row) for row in rows], np.int32)
        self._ends = self.sizes.cumsum(dtype=np.int64)
        self._ids = np.concatenate(rows) if rows else np.empty(0, np.int32)
        #: bool[N]: which sentences were cut
        self.is_cut = self.sizes < np.array(uncut, np.int32)
        over = {} if max_length is None else {self._over(max_length): num_over}
        self._log({**over, too_long: num_shortened})

    def _cut(self, ids, is_space):
        """``ids`` (Int[T]), at most ``max_length`` of them."""
        if self.max_length is None or len(ids) <= self.max_length:
            return ids
        spaces = is_space[ids[: self.max_length].numpy()]
        last = np.flatnonzero(spaces)[-1:]  # </s> stands in its place
        if len(last) and not spaces[: last[0]].all():
            return torch.cat([ids[: int(last[0])], ids[-1:]])
        return self.dictionary.truncate(ids, self.max_length)

    def _over(self, max_length):
        return f"more than {max_length - 1} {self.dictionary.plural}"

    def _log(self, num_cut):
        """Say what is unknown and, of reasons (str), how many sentences are cut (int)."""
        num_symbols = len(self._ids) - len(self)
        num_unknown = int((self._ids == self.dictionary.unk()).sum())
        if self.dictionary.path is not None:
            logger.info(
                "%s: %d of %d %s (%.3f%%) are <unk>",
                *(self.name, num_unknown, num_symbols, self.dictionary.plural),
                100 * num_unknown / max(num_symbols, 1),
            )
        for reason, count in num_cut.items():
            if count:
                logger.warning(
                    "%s: %d of %d sentences have %s and are cut behind a word",
                    *(self.name, count, len(self), reason),
                )

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, index):
        """Long[T]: the ids of sentence ``index``, ``</s>`` last."""
        end = self._ends[index]
        ids = self._ids[end - self.sizes[index] : end]
        return torch.from_numpy(ids.astype(np.int64))

    def num_tokens(self, index):
        return self.sizes[index]

    def size(self, index):
        return self.sizes[index]
