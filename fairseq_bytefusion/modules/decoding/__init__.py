"""What a decoder remembers between the steps of a search."""

from .chain_cache import ChainCache
from .decoding_cache import DecodingCache
from .prepared_layers import PreparedLayers

__all__ = ["ChainCache", "DecodingCache", "PreparedLayers"]
