"""Raw-text files to fairseq datasets."""

from .line_dataset import LineDataset
from .parallel import ParallelDataset, infer_language_pair, load_parallel

__all__ = ["LineDataset", "ParallelDataset", "infer_language_pair", "load_parallel"]
