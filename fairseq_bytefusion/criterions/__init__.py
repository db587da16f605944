"""fairseq criterions; the byte models train with fairseq's own."""

from . import embedding_approximation  # noqa: F401
