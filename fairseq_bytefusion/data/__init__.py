"""Raw-text files to fairseq datasets."""

from .pairs.loading import load_parallel
from .pairs.pair_files import infer_language_pair
from .pairs.parallel import ParallelDataset
from .sides import Side

__all__ = ["ParallelDataset", "Side", "infer_language_pair", "load_parallel"]
