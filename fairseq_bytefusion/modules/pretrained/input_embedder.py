"""The input of a pre-trained encoder: rows of its table, or composed words."""

import re

import torch
import torch.nn as nn
import torch.nn.functional as F

from ...text.pieces import collate_spellings, symbols_of
from ...text.words import symbol_tables, unique_words
from ..embedders.embedder import Embedder

INPUTS = ("pieces", "full", "hybrid")
#: pieces that keep their rows whatever the input is, in the order of a table of these alone
KEPT = ("cls", "sep", "pad")
#: ``[CLS]`` and ``[SEP]``
NUM_ENDS = 2

_WORDS = re.compile(rb"[^ \t\r\v\f]+")


class PretrainedEmbedder(Embedder, nn.Module):
    """Vectors of a sentence for the layers of a pre-trained encoder.

    Words are those of a word composer. ``pieces``: each is cut by the encoder's own
    tokenizer, its vectors are rows of the table. ``full``: each is composed, as the
    tokenizer spells it. ``hybrid``: a word that is one piece is its row, any other is
    composed, instead of being cut. ``</s>`` is ``[SEP]``; ``[CLS]`` begins the sentence and
    is no word::

        text      un believable day </s>
        pieces    [CLS] un believ ##able day [SEP]     first of a word: 1 2 4 5
        full      [CLS] (un) (believable) (day) [SEP]                   1 2 3 4
        hybrid    [CLS] un (believable) day [SEP]                       1 2 3 4

    Args:
        reader (PieceReader)
        special (dict of str to int): see ``PretrainedParts``.
        dictionary (ByteDictionary)
        mode (str): one of ``INPUTS``.
        composer (WordComposer, optional): for ``full`` and ``hybrid``.
        dim (int): D.
        positions (int, optional): the most of a sentence.

    Source: Aguilar et al. 2021, *Char2Subword*, sections 3 and 4.
    """

    composes_words = True

    def __init__(
        self, reader, special, dictionary, mode, composer=None, *, dim, positions=None
    ):
        super().__init__()
        self.reader, self.dictionary, self.mode = reader, dictionary, mode
        self.embedding_dim, self.padding_idx = dim, dictionary.pad()
        self.positions = positions
        self.composer = composer
        #: rows that the table holds; None for all of them
        self.kept = [special[name] for name in KEPT] if mode == "full" else None
        rows = special if self.kept is None else {n: i for i, n in enumerate(KEPT)}
        self.cls, self.sep, self.pad = (rows[name] for name in KEPT)
        self.register_buffer("tables", symbol_tables(dictionary), persistent=False)

    def forward(self, tokens, table):
        """
        Args:
            tokens (Long[B, T]): padded on either side.
            table (nn.Embedding): of the encoder, D wide.

        Returns:
            tuple: Float[B, P, D]; padding_mask Bool[B, P]; Long[B, S], where each word has
            its (first) vector, 0 at padding; Bool[B, S], True there. Padding is on the
            right. S counts ``</s>``, P ``[CLS]`` and, for ``pieces``, every piece.
        """
        words = unique_words(tokens, self.padding_idx, self.tables, tokens.shape[1])
        read = [self._read(row) for row in self._raw(words)]
        # The last one stands at padding, and is nothing.
        sizes = torch.tensor([len(one.pieces) for one in read] + [0])
        sizes = sizes.to(tokens.device)[words.index]
        ends = 1 + sizes.cumsum(1)
        padding = words.index.eq(len(read))
        first = (ends - sizes).masked_fill(padding, 0)
        ids, is_padding = self._ids(words.index, read, ends)
        states = F.embedding(ids, table.weight)
        if self.mode != "pieces":
            states = self._with_composed(states, words, read, first)
        return states, is_padding, first, padding

    def _raw(self, words):
        """list of bytes: the words of UniqueWords; None for ``</s>``."""
        lengths, eos = words.lengths.tolist(), self.dictionary.eos()
        return [
            None if row[0] == eos else self.dictionary.decode_bytes(row[:length])
            for row, length in zip(words.symbols.tolist(), lengths)
        ]

    def _read(self, raw):
        if raw is None:
            return _Position((self.sep,), None)
        word = self.reader(raw)
        if self.mode == "pieces":
            return _Position(word.pieces, None)
        if self.mode == "hybrid" and word.is_piece:
            return _Position(word.pieces, None)
        return _Position((self.pad,), word.spelling)

    def _ids(self, index, read, ends):
        """Rows Long[B, P] of the table, and padding_mask Bool[B, P]."""
        width = int(ends[:, -1].max())
        rows = [
            [self.cls, *(i for w in row if w < len(read) for i in read[w].pieces)]
            for row in index.tolist()
        ]
        ids = torch.tensor([row + [self.pad] * (width - len(row)) for row in rows])
        columns = torch.arange(width, device=index.device)
        return ids.to(index.device), columns >= ends[:, -1:]

    def _with_composed(self, states, words, read, first):
        """``states`` with the vectors of words that are composed in their places."""
        chosen = [u for u, one in enumerate(read) if one.spelling is not None]
        if not chosen:
            return states
        vectors = self._compose([read[u].spelling for u in chosen]).to(states)
        row = torch.full((len(read) + 1,), -1)
        row[torch.tensor(chosen)] = torch.arange(len(chosen))
        row = row.to(states.device)[words.index]
        sentence, word = row.ge(0).nonzero(as_tuple=True)
        place = (sentence, first[sentence, word])
        return states.index_put(place, vectors[row[sentence, word]])

    def _compose(self, spellings):
        """Float[U, D]: of words (list of bytes)."""
        most, device = self.composer.max_chars, self.tables.device
        self.composer.count_cut(sum(len(raw) > most for raw in spellings))
        rows = [symbols_of(raw, self.dictionary, most) for raw in spellings]
        batch = collate_spellings(rows, [True] * len(rows), self.padding_idx)
        return self.composer.compose(
            batch["symbols"].to(device), batch["lengths"].to(device)
        )

    def num_vectors(self, raw):
        """int: how many vectors a word (bytes) becomes."""
        return len(self.reader(raw).pieces) if self.mode == "pieces" else 1

    def shorten(self, ids):
        """A sentence cut behind the last word that its positions have room for.

        Args:
            ids (Int[T]): ``</s>`` last.

        Returns:
            Int[T']: T' <= T.
        """
        if self.positions is None:
            return ids
        raw, room, end = self.dictionary.decode_bytes(ids), self.positions - NUM_ENDS, 0
        for word in _WORDS.finditer(raw):
            room -= self.num_vectors(word[0])
            if room < 0:
                return self.dictionary.encode_line(raw[:end]).to(ids)
            end = word.end()
        if end < len(raw) and not room:  # white space at the end is a word of its own
            return self.dictionary.encode_line(raw[:end]).to(ids)
        return ids


class _Position:
    """``pieces``: rows of the table, of which a composed word (``spelling``) has one that
    it replaces."""

    __slots__ = ("pieces", "spelling")

    def __init__(self, pieces, spelling):
        self.pieces, self.spelling = pieces, spelling
