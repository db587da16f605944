"""``fairseq_bytefusion.text.files`` without its package, which takes seconds to import."""

import importlib.util
from pathlib import Path

_PATH = Path(__file__).resolve().parents[1] / "fairseq_bytefusion/text/files.py"
_spec = importlib.util.spec_from_file_location("data_prep.files", _PATH)
_files = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_files)

damaged = _files.damaged
encoding_of = _files.encoding_of
open_text = _files.open_text
