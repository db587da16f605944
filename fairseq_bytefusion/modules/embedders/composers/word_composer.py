"""What all word composers share: cut into words, compose each once, put in place."""

import logging

import torch
import torch.nn as nn
import torch.nn.functional as F

from ....text.words import symbol_tables, unique_words
from ...freezable import Freezable
from ..embedder import Embedder

logger = logging.getLogger(__name__)


class WordComposer(Freezable, Embedder, nn.Module):
    """One vector a word, made of the word's symbols.

    Words are those of ``wsf`` at whitespace: ``</s>`` and a language tag are words of one
    symbol, composed like any other. A vector depends on its word alone, not on the
    whitespace before it, on the sentence or on padding. Equal words of a batch are
    composed once. Vectors are not scaled by sqrt(D).

    Args:
        dictionary (fairseq.data.Dictionary): its symbols are the characters.
        embedding_dim (int): D.
        char_dim (int): width E of a character's embedding.
        max_chars (int): longer words are cut, counted in ``num_cut`` and logged.
        delimited (bool): with embeddings of the begin and the end of a word.
    """

    composes_words = True
    #: names of the parts that make states of characters; empty where there are none
    character_parts = ()
    #: whether it makes words; else states of characters only
    is_whole = True

    def __init__(
        self, dictionary, embedding_dim, char_dim, *, max_chars=50, delimited=True
    ):
        super().__init__()
        self.embedding_dim = embedding_dim
        self.padding_idx = dictionary.pad()
        self.max_chars = max_chars
        #: words cut since construction
        self.num_cut = 0
        self.begin, self.end = len(dictionary), len(dictionary) + 1
        num_characters = len(dictionary) + (2 if delimited else 0)
        # N(0, 1): as large as the positions that char2subword adds.
        self.characters = nn.Embedding(num_characters, char_dim, self.padding_idx)
        self.register_buffer("tables", symbol_tables(dictionary), persistent=False)

    @classmethod
    def default_char_dim(cls, options):
        """int: E where ``--char-embed-dim`` is not given."""
        raise NotImplementedError

    def forward(self, tokens):
        """
        Args:
            tokens (Long[B, T]): padded on either side.

        Returns:
            tuple: states Float[B, S, D] and padding_mask Bool[B, S]; S is the largest
            number of words in a sentence, and padding is on the right.
        """
        words = self.words(tokens)
        return self.place(self.compose_rows(words), words.index)

    @property
    def composer(self):
        """This module: a word composer alone is a word embedder."""
        return self

    @property
    def character_module(self):
        """nn.Module: what gives each character the last state of its own, one behind the
        other: the last of ``layers``, where there are some, or else the embedding."""
        layers = getattr(self, "layers", ())
        return layers[-1] if len(layers) else self.characters

    def words(self, tokens):
        """UniqueWords of ``tokens`` (Long[B, T]); those that are cut are counted."""
        words = unique_words(tokens, self.padding_idx, self.tables, self.max_chars)
        self.count_cut(words.num_cut)
        return words

    def compose_rows(self, words, chosen=None):
        """Vectors of ``words`` (UniqueWords), those alone that ``chosen`` (Bool[U],
        optional) marks: Float[U', D]."""
        symbols, lengths = words.symbols, words.lengths
        if chosen is not None:
            symbols, lengths = symbols[chosen], lengths[chosen]
        if not len(lengths):
            return self.characters.weight.new_zeros(0, self.embedding_dim)
        return self.compose(symbols, lengths)

    @property
    def character_dim(self):
        """int: E, width of the states of characters."""
        return self.characters.embedding_dim

    def character_states(self, symbols, lengths):
        """The last states that are those of single characters, what surrounds them in.

        Args:
            symbols (Long[U, C]), lengths (Long[U]): as of :meth:`compose`.

        Returns:
            Float[U, C, E]: zeros at padding.
        """
        raise NotImplementedError

    def keep_character_parts(self):
        """Drop what makes words of the states of characters: it is not to be trained."""
        self.is_whole = False
        for name, _ in list(self.named_children()):
            if name not in self.character_parts:
                setattr(self, name, None)

    def compose(self, symbols, lengths):
        """
        Args:
            symbols (Long[U, C]): different words, padded on the right.
            lengths (Long[U]): at least 1, at most C.

        Returns:
            Float[U, D]
        """
        raise NotImplementedError

    @staticmethod
    def place(vectors, index):
        """``vectors`` (Float[U, D]) where ``index`` (Long[B, S]) says, zeros where U."""
        table = torch.cat([vectors, vectors.new_zeros(1, vectors.shape[1])])
        return F.embedding(index, table), index.eq(len(vectors))

    def delimit(self, symbols, lengths, begins=None):
        """Words between begin and end of word; where ``begins`` is False, without the
        begin: what goes on a word, such as the piece ``##ing``::

            c a t .    begin c a t end        ##ing    i n g end .

        Args:
            symbols (Long[U, C]): padded on the right.
            lengths (Long[U])
            begins (Bool[U], optional): by default all True.

        Returns:
            tuple: Long[U, C + 2], padded on the right, and lengths Long[U].
        """
        delimited = F.pad(symbols, (1, 1), value=self.padding_idx)
        delimited[:, 0] = self.begin
        delimited = delimited.scatter(1, lengths.unsqueeze(1) + 1, self.end)
        if begins is None:
            return delimited, lengths + 2
        without = F.pad(delimited[:, 1:], (0, 1), value=self.padding_idx)
        return torch.where(begins.unsqueeze(1), delimited, without), lengths + 1 + begins

    def count_cut(self, count):
        """Add ``count`` (int) words to ``num_cut``, and log it now and then."""
        before, self.num_cut = self.num_cut, self.num_cut + count
        if len(str(self.num_cut)) > len(str(before)) or (count and not before):
            logger.warning(
                "words cut to their first %d symbols (--max-word-chars), so far: %d",
                self.max_chars,
                self.num_cut,
            )
