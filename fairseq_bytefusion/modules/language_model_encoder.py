"""Composed words, and states of them that know the words before or behind."""

from dataclasses import dataclass
from typing import Dict, List

import torch
import torch.nn as nn
import torch.nn.functional as F

from ..text.words import ALONE, UniqueWords
from .directed_lstm import DirectedLSTM
from .freezable import Freezable

DIRECTIONS = {"both": ("forward", "backward"), "forward": ("forward",)}


@dataclass
class LanguageModelStates:
    """What is known of each word of ``<s> words </s>``; S counts all of these.

    Attributes:
        words (UniqueWords)
        padding_mask (Bool[B, S]): padding is on the right.
        composed (Float[B, S, D]): x_k.
        layers (dict of str to list of Float[B, S, D]): of each direction, L layers.
    """

    words: UniqueWords
    padding_mask: torch.Tensor
    composed: torch.Tensor
    layers: Dict[str, List[torch.Tensor]]


class LanguageModelEncoder(Freezable, nn.Module):
    """A word composer, and L LSTM layers of each direction over what it composes.

    Sentences are read between ``<s>`` and ``</s>``, which are composed like words.

    Args:
        composer (WordComposer): D wide.
        dictionary (fairseq.data.Dictionary): of the symbols of words.
        lstm_dim, num_layers, dropout: see :class:`DirectedLSTM`.
        direction (str): of ``DIRECTIONS``.

    Source: Peters et al. 2018, section 3.1; Kim et al. 2015 for ``forward``.
    """

    #: for what starts a composer: there are no positions
    embed_positions = None

    def __init__(
        self, composer, dictionary, *, lstm_dim, num_layers, dropout=0.0, direction="both"
    ):
        super().__init__()
        self.embed_tokens = composer
        self.begin = dictionary.bos()
        composer.tables[ALONE, self.begin] = True
        self.directions = DIRECTIONS[direction]
        for name in self.directions:
            layers = DirectedLSTM(
                composer.embedding_dim, lstm_dim, num_layers, dropout, name == "backward"
            )
            setattr(self, f"{name}_layers", layers)

    @property
    def num_layers(self):
        """int: L."""
        return len(self.forward_layers.layers)

    @property
    def state_dim(self):
        """int: of the states of all directions together."""
        return self.embed_tokens.embedding_dim * len(self.directions)

    def read(self, tokens):
        """
        Args:
            tokens (Long[B, T]): padded on either side.

        Returns:
            LanguageModelStates
        """
        composer = self.embed_tokens
        words = composer.words(self.begun(tokens))
        composed, padding_mask = composer.place(composer.compose_rows(words), words.index)
        layers = self.contextual(composed, padding_mask)
        return LanguageModelStates(words, padding_mask, composed, layers)

    def contextual(self, composed, padding_mask):
        """dict of str to list of Float[B, S, D]: the layers of each direction over
        ``composed`` (Float[B, S, D]), with ``padding_mask`` (Bool[B, S])."""
        return {
            name: getattr(self, f"{name}_layers")(composed, padding_mask)
            for name in self.directions
        }

    def begun(self, tokens):
        """Long[B, 1 + T]: ``tokens`` (Long[B, T]) with ``<s>`` before every sentence."""
        pad = self.embed_tokens.padding_idx
        tokens = F.pad(tokens, (1, 0), value=pad)
        is_text = tokens.ne(pad)
        before = is_text.long().argmax(1, keepdim=True) - 1
        filled = tokens.scatter(1, before.clamp(min=0), self.begin)
        return torch.where(is_text.any(1, keepdim=True), filled, tokens)
