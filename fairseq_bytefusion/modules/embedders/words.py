"""words: the table of known words alone."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from ...text.word_list import hash_words
from ...text.words import ALONE, symbol_tables, unique_words
from .embedder import Embedder
from .word_table import WordTable

_UNKNOWN = 0  # its row among those that no list of words has


class Words(Embedder, nn.Module):
    """A learned row for each known word, one for all others, and one for each symbol that
    stands alone: ``</s>`` and language tags.

    Words are cut as word composers cut them. In training a known word is read as an
    unknown one with probability ``word_dropout``, each time it occurs. Rows are not scaled
    by sqrt(D).

    Args:
        words (list of bytes): known words.
        dictionary (fairseq.data.Dictionary)
        embedding_dim (int): D.
        word_dropout (float)

    Raises:
        ValueError: see :class:`WordTable`.
    """

    composes_words = True
    needs_words = True

    def __init__(self, words, dictionary, embedding_dim, word_dropout=0.0):
        super().__init__()
        self.embedding_dim = embedding_dim
        self.padding_idx = dictionary.pad()
        self.word_dropout = word_dropout
        self.table = WordTable(hash_words(words, dictionary), embedding_dim)
        tables = symbol_tables(dictionary)
        rows = tables[ALONE].cumsum(0) * tables[ALONE]
        self.others = nn.Embedding(1 + int(rows.max()), embedding_dim)
        self.register_buffer("tables", tables, persistent=False)
        self.register_buffer("rows", rows, persistent=False)

    @classmethod
    def build(cls, options, dictionary, dim, words):
        """From ``word_dropout``; known ``words``."""
        return cls(words, dictionary, dim, options.word_dropout)

    def forward(self, tokens):
        """
        Args:
            tokens (Long[B, T]): padded on either side.

        Returns:
            tuple: states Float[B, S, D] and padding_mask Bool[B, S], as of a word composer.
        """
        words = unique_words(tokens, self.padding_idx, self.tables, max_chars=1)
        row, known = self.table.lookup(words.hashes)
        other = self.rows[words.symbols[:, :1].flatten()]
        found = torch.where(
            known.unsqueeze(1),
            self.table(row),
            self.others(other),
        )
        index, padding_mask = words.index, words.index.eq(len(found))
        # Two rows more: of padding, and of a word that is dropped.
        unknown = self.others.weight[_UNKNOWN]
        vectors = torch.cat([found, torch.stack([torch.zeros_like(unknown), unknown])])
        if self.training and self.word_dropout > 0:
            is_known = F.pad(known, (0, 1))[index]
            dropped = torch.rand(index.shape, device=index.device) < self.word_dropout
            index = index.masked_fill(is_known & dropped, len(found) + 1)
        return F.embedding(index, vectors), padding_mask

    def extra_repr(self):
        return f"word_dropout={self.word_dropout:g}"
