"""What a decoder remembers between the steps of a search."""

from .chain_cache import ChainCache
from .decoding_cache import DecodingCache

__all__ = ["ChainCache", "DecodingCache"]
