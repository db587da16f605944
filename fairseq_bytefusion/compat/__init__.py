"""Every workaround for a version of Python, torch, numpy, fairseq or transformers.

A file a library, a function a workaround; its docstring names the symptom and the
versions. Each imports its library when it is called: :func:`check_versions` must speak
before fairseq is imported, and that import is made quiet first.
"""

from .fairseq import (
    keep_bf16_in_generation,
    keep_diverse_groups_within_batch,
    keep_last_batch,
    keep_paths_with_colons,
    quiet_fairseq_import,
    read_interactive_lines_raw,
    train_in_half_precision,
)
from .fairseq_checkpoints import keep_interval_checkpoints, save_checkpoints_whole
from .fairseq_loading import explain_checkpoint_errors, load_weights_only
from .fairseq_restoring import explain_restoring, stop_at_max_update
from .numpy import restore_numpy_bucketing
from .python import (
    catch_interrupts,
    end_quietly_on_interrupt,
    error_line,
    flushing_output,
    utf8_standard_streams,
)
from .torch import allow_checkpoint_globals, naming_missing_precision
from .versions import check_versions

__all__ = [
    "apply",
    "catch_interrupts",
    "check_versions",
    "error_line",
    "flushing_output",
    "naming_missing_precision",
    "read_interactive_lines_raw",
    "utf8_standard_streams",
]


def apply():
    """Apply every workaround that fairseq's own code needs. Harmless twice."""
    end_quietly_on_interrupt()
    quiet_fairseq_import()
    allow_checkpoint_globals()
    restore_numpy_bucketing()
    keep_last_batch()
    keep_paths_with_colons()
    keep_diverse_groups_within_batch()
    keep_bf16_in_generation()
    load_weights_only()
    explain_checkpoint_errors()
    keep_interval_checkpoints()
    save_checkpoints_whole()
    explain_restoring()
    stop_at_max_update()
    train_in_half_precision()
