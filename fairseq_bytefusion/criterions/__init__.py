"""fairseq criterions; translation trains with fairseq's own, or that with lookahead."""

from . import (  # noqa: F401
    byte_classification,
    byte_tagging,
    embedding_approximation,
    lookahead,
    masked_characters,
    masked_pieces,
    word_language_model,
)
