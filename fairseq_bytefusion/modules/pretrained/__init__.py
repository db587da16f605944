"""Hugging Face encoders whose input words are composed of characters.

Their layers are called with vectors in place of ids (``inputs_embeds``); nothing of theirs
is written again.
"""

from .input_embedder import INPUTS, PretrainedEmbedder
from .parts import PretrainedParts
from .piece_reader import PieceReader

__all__ = ["INPUTS", "PieceReader", "PretrainedEmbedder", "PretrainedParts"]
