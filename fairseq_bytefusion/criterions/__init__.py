"""fairseq criterions; translation trains with fairseq's own."""

from . import byte_classification, byte_tagging, embedding_approximation  # noqa: F401
