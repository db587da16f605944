"""Raw-text files to fairseq datasets."""

from .lines.line_dataset import LineDataset
from .pairs.loading import load_parallel
from .pairs.pair_files import infer_language_pair
from .pairs.parallel import ParallelDataset

__all__ = ["LineDataset", "ParallelDataset", "infer_language_pair", "load_parallel"]
