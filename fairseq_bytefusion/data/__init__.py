"""Raw-text files to fairseq datasets."""

from .line_dataset import LineDataset
from .loading import load_parallel
from .pair_files import infer_language_pair
from .parallel import ParallelDataset

__all__ = ["LineDataset", "ParallelDataset", "infer_language_pair", "load_parallel"]
