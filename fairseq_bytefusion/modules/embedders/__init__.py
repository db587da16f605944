"""Embedders: token ids to states; see :class:`Embedder` for what one must have.

Token embedders give a state a symbol; word composers (:mod:`.composers`), mixtures,
tables of words and language models one a word. To add a token embedder: a file here, a
line in ``TOKEN_EMBEDDERS``, a group of options in ``models/options/`` if it has any, a
test.
"""

from .composers import COMPOSERS
from .dense import DenseEmbedder
from .elmo import Elmo
from .embedder import Embedder
from .mixture import Mixture
from .one_hot import OneHotEmbedder
from .words import Words

TOKEN_EMBEDDERS = {
    "dense": DenseEmbedder,
    "one-hot": OneHotEmbedder,
}
EMBEDDERS = {
    **TOKEN_EMBEDDERS,
    **COMPOSERS,
    "mixture": Mixture,
    "words": Words,
    "elmo": Elmo,
}

__all__ = [
    "COMPOSERS",
    "EMBEDDERS",
    "TOKEN_EMBEDDERS",
    "DenseEmbedder",
    "Elmo",
    "Embedder",
    "Mixture",
    "OneHotEmbedder",
    "Words",
]
