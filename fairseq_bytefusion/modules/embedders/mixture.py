"""mixture: a word composer with a table of known words."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from ...text.word_list import hash_words
from .composers import COMPOSERS
from .embedder import Embedder
from .word_table import WordTable

MIXTURES = ("sum", "concat", "hybrid")


class Mixture(Embedder, nn.Module):
    """Composed vector ``c`` and table row ``e`` (zeros if unknown) of a word, mixed.

    ``sum``: c + e. ``concat``: W (c, e) + b. ``hybrid``: e for a known word, else c;
    known words are not composed. ``</s>`` is never in the table.

    Args:
        composer (WordComposer): D wide.
        words (list of bytes): known words.
        dictionary (fairseq.data.Dictionary)
        mode (str): one of ``MIXTURES``.

    Raises:
        ValueError: an unknown mode; see also :class:`WordTable`.

    Source: Aguilar et al. 2021, *Char2Subword*, section 3 (hybrid); Peters et al. 2018.
    """

    composes_words = True
    needs_words = True

    def __init__(self, composer, words, dictionary, mode="sum"):
        super().__init__()
        if mode not in MIXTURES:
            raise ValueError(f"unknown mixture {mode!r}, choose from {MIXTURES}")
        self.mode = mode
        self.embedding_dim = composer.embedding_dim
        self.padding_idx = composer.padding_idx
        self.composer = composer
        self.table = WordTable(hash_words(words, dictionary), self.embedding_dim)
        if mode == "concat":
            self.projection = nn.Linear(2 * self.embedding_dim, self.embedding_dim)

    @classmethod
    def build(cls, options, dictionary, dim, words):
        """From ``mixture``, ``mixture_composer`` and its options; known ``words``."""
        composer = COMPOSERS[options.mixture_composer].build(options, dictionary, dim)
        return cls(composer, words, dictionary, options.mixture)

    def forward(self, tokens):
        """
        Args:
            tokens (Long[B, T]): padded on either side.

        Returns:
            tuple: states Float[B, S, D] and padding_mask Bool[B, S], as of the composer.
        """
        words = self.composer.words(tokens)
        rows, known = self.table.lookup(words.hashes)
        vectors = F.embedding(rows, self.table.weight)
        if self.mode == "hybrid":
            composed = self.composer.compose_rows(words, ~known)
            vectors = vectors.index_copy(0, (~known).nonzero().flatten(), composed)
        else:
            composed = self.composer.compose_rows(words)
            vectors = vectors.masked_fill(~known.unsqueeze(1), 0.0)
            if self.mode == "sum":
                vectors = composed + vectors
            else:
                vectors = self.projection(torch.cat([composed, vectors], 1))
        return self.composer.place(vectors, words.index)
