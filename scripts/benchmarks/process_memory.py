"""What memory a process holds, as Linux counts it, or on a GPU as torch does."""

import ctypes
import re
from pathlib import Path

import torch

PROC = Path("/proc")


def megabytes(field, process="self"):
    """A field of ``/proc/PROCESS/status`` in MB: ``VmRSS``, ``VmHWM``, ``RssAnon`` ...

    Raises:
        OSError: this is not Linux, or there is no such process.
    """
    status = (PROC / str(process) / "status").read_text("utf-8")
    return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) / 1024


def watch(device):
    """MB in use now, from which on :func:`peak` counts; NaN where it cannot be known."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
        return torch.cuda.memory_allocated() / 2**20
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        (PROC / "self/clear_refs").write_text("5")  # resets the high-water mark
        return megabytes("VmRSS")
    except OSError:
        return float("nan")


def peak(device):
    """Most MB in use since :func:`watch`."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated() / 2**20
    return megabytes("VmHWM") if PROC.exists() else float("nan")
