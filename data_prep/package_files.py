"""Files of ``fairseq_bytefusion`` without the package, which takes seconds to import.

They import nothing of it but, of their own folder, files like them.
"""

import importlib
import sys
import types
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1] / "fairseq_bytefusion"


def _load(folder, name):
    """A file of a folder of the package (both str), as a module."""
    bare = types.ModuleType(f"data_prep.{folder}")  # without what its __init__ imports
    bare.__path__ = [str(_PACKAGE / folder)]
    sys.modules[bare.__name__] = bare
    return importlib.import_module(f".{name}", bare.__name__)


_files = _load("text", "files")
damaged = _files.damaged
encoding_of = _files.encoding_of
open_text = _files.open_text

_python = _load("compat", "python")
catch_interrupts = _python.catch_interrupts
error_line = _python.error_line
flushing_output = _python.flushing_output
