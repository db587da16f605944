"""What a decoder remembers between the steps of a search."""

from .decoding_cache import DecodingCache

__all__ = ["DecodingCache"]
