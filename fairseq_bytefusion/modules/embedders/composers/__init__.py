"""Word composers: one vector a word, made of its symbols.

To add one: a file here with a :class:`WordComposer`, a line in ``COMPOSERS``, a group of
options in ``models/options/``, a test. It is then an embedder and a part of mixtures.
"""

from .char2subword import Char2Subword
from .char_cnn import CharCNN
from .char_rnn import CharRNN
from .hit import Hit
from .word_composer import WordComposer

COMPOSERS = {
    "char2subword": Char2Subword,
    "char-cnn": CharCNN,
    "char-rnn": CharRNN,
    "hit": Hit,
}

__all__ = ["COMPOSERS", "Char2Subword", "CharCNN", "CharRNN", "Hit", "WordComposer"]
