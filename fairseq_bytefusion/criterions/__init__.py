"""fairseq criterions; translation trains with fairseq's own, or that with lookahead."""

from . import byte_classification, byte_tagging, embedding_approximation, lookahead  # noqa: F401  # noqa: F401
