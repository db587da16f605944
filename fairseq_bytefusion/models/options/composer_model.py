"""The options of a word composer and of what it is made of, enough to build one alone."""

from dataclasses import dataclass

from .attention import FusedAttentionOptions
from .embedders import EmbedderOptions
from .layers import CoreLayerOptions


@dataclass
class ComposerModelOptions(EmbedderOptions, FusedAttentionOptions, CoreLayerOptions):
    """Which embedder, its options, and those of its layers."""
