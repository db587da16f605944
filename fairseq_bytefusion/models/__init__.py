"""fairseq models, put together from ``modules``."""
