"""Files of ``fairseq_bytefusion`` without the package, which takes seconds to import.

They import nothing of it.
"""

import importlib.util
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1] / "fairseq_bytefusion"


def _load(path):
    name = f"data_prep.{Path(path).stem}_of_package"
    spec = importlib.util.spec_from_file_location(name, _PACKAGE / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_files = _load("text/files.py")
damaged = _files.damaged
encoding_of = _files.encoding_of
open_text = _files.open_text

_python = _load("compat/python.py")
catch_interrupts = _python.catch_interrupts
flushing_output = _python.flushing_output
