"""Every workaround for a version of Python, torch, numpy or fairseq.

A file a library, a function a workaround; its docstring names the symptom and the
versions. Each imports its library when it is called: :func:`check_versions` must speak
before fairseq is imported, and that import is made quiet first.
"""

from .fairseq import (
    keep_last_batch,
    quiet_fairseq_import,
    read_interactive_lines_raw,
    train_in_half_precision,
)
from .fairseq_checkpoints import (
    explain_checkpoint_errors,
    keep_interval_checkpoints,
    save_checkpoints_whole,
)
from .fairseq_restoring import explain_restoring, stop_at_max_update
from .numpy import restore_numpy_bucketing
from .python import utf8_standard_streams
from .torch import allow_checkpoint_globals
from .versions import check_versions

__all__ = [
    "apply",
    "check_versions",
    "read_interactive_lines_raw",
    "utf8_standard_streams",
]


def apply():
    """Apply every workaround that fairseq's own code needs. Harmless twice."""
    quiet_fairseq_import()
    allow_checkpoint_globals()
    restore_numpy_bucketing()
    keep_last_batch()
    explain_checkpoint_errors()
    keep_interval_checkpoints()
    save_checkpoints_whole()
    explain_restoring()
    stop_at_max_update()
    train_in_half_precision()
