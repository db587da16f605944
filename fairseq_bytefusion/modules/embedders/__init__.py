"""Embedders: token ids to states.

An embedder has ``embedding_dim``, ``padding_idx``, a classmethod
``build(options, dictionary, dim)`` and
``forward(tokens: Long[B, T]) -> (states: Float[B, S, D], padding_mask: Bool[B, S])``
with zero states where the mask is True. ``composes_words`` tells a word composer, S
words and padding on the right, from a token embedder, S = T; ``dropout_on_states``
whether dropout on its (position-coded) states makes sense. To add one: a file here, a
line in ``COMPOSERS`` or ``TOKEN_EMBEDDERS``, a test.
"""

from .composers.char2subword import Char2Subword
from .composers.char_cnn import CharCNN
from .composers.char_rnn import CharRNN
from .dense import DenseEmbedder
from .mixture import Mixture
from .one_hot import OneHotEmbedder

COMPOSERS = {
    "char2subword": Char2Subword,
    "char-cnn": CharCNN,
    "char-rnn": CharRNN,
}
TOKEN_EMBEDDERS = {
    "dense": DenseEmbedder,
    "one-hot": OneHotEmbedder,
}
EMBEDDERS = {**TOKEN_EMBEDDERS, **COMPOSERS, "mixture": Mixture}

__all__ = [
    "COMPOSERS",
    "EMBEDDERS",
    "TOKEN_EMBEDDERS",
    "Char2Subword",
    "CharCNN",
    "CharRNN",
    "DenseEmbedder",
    "Mixture",
    "OneHotEmbedder",
]
