"""Every workaround for a version of Python, torch, numpy or fairseq.

One function each; its docstring names the symptom and the versions.
"""

import contextlib
import functools
import importlib.metadata
import io
import itertools
import logging
import os
import sys

from .checkpoint_names import keep_interval_checkpoints

FAIRSEQ_OFFICIAL = "fairseq==0.12.2"
FAIRSEQ_PY311 = "fairseq-fixed==0.12.3.1"


def _version(distribution):
    """Installed version as a tuple of int, or None."""
    try:
        text = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
    numbers = []
    for part in text.split("+")[0].split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def version_problem(python, fairseq, fairseq_fixed, torch, numpy):
    """What cannot work about a set of versions, in one sentence, or None.

    Args:
        python, fairseq, fairseq_fixed, torch, numpy (tuple of int or None):
            versions; None where the distribution is not installed.

    Returns:
        str or None: the problem and what to install.
    """
    wanted = FAIRSEQ_PY311 if python >= (3, 11) else FAIRSEQ_OFFICIAL
    name = f"Python {python[0]}.{python[1]}"
    installed = fairseq_fixed or fairseq
    if python < (3, 9):
        return f"fairseq_bytefusion needs Python 3.9 or newer and runs on {name}"
    if installed is None:
        return f"fairseq is not installed: on {name}, pip install {wanted}"
    if installed[:2] != (0, 12):
        dotted = ".".join(map(str, installed))
        return f"fairseq {dotted} is not 0.12: on {name}, pip install {wanted}"
    if fairseq_fixed is None and fairseq < (0, 12, 2):
        dotted = ".".join(map(str, fairseq))
        return f"fairseq {dotted} is older than 0.12.2: pip install {wanted}"
    if fairseq_fixed is None and python >= (3, 11):
        return (
            f"fairseq {'.'.join(map(str, fairseq))} cannot be imported on {name} "
            f"(mutable dataclass defaults): pip install {wanted}"
        )
    if torch is None or torch < (2, 0):
        found = "not installed" if torch is None else ".".join(map(str, torch))
        return f"torch 2.0 or newer is needed ({found}): pip install 'torch>=2.0'"
    if fairseq_fixed is None and numpy is not None and numpy >= (1, 24):
        return (
            f"fairseq 0.12.2 needs the aliases that numpy 1.24 removed (numpy "
            f"{'.'.join(map(str, numpy))} is installed): pip install 'numpy<1.24'"
        )
    return None


def check_versions():
    """Raise ImportError with one sentence where the installed versions cannot work."""
    problem = version_problem(
        sys.version_info[:2],
        _version("fairseq"),
        _version("fairseq-fixed"),
        _version("torch"),
        _version("numpy"),
    )
    if problem:
        raise ImportError(problem)


def apply():
    """Apply every workaround that fairseq's own code needs. Harmless twice."""
    quiet_fairseq_import()
    allow_checkpoint_globals()
    restore_numpy_bucketing()
    keep_last_batch()
    explain_checkpoint_errors()
    keep_interval_checkpoints()


def quiet_fairseq_import():
    """Keep ``import fairseq`` from configuring everybody's logging.

    Symptom: ``INFO:fairseq.tasks.text_to_speech:Please install tensorboardX`` on
    stderr at every import outside the fairseq commands, and from then on what other
    libraries log at level DEBUG. fairseq 0.12.
    """
    logging.basicConfig(level=logging.WARNING)  # nothing, where somebody did so already
    logging.getLogger("fairseq.tasks.text_to_speech").setLevel(logging.WARNING)


def allow_checkpoint_globals():
    """Let torch load what fairseq writes into a checkpoint.

    Symptom: ``Weights only load failed ... Unsupported global: argparse.Namespace``
    in generate, interactive and resumed training; and the numpy reconstruction
    functions, which ``--eval-bleu`` adds (it logs n-gram counts as arrays). torch
    >= 2.6, whose ``torch.load`` defaults to ``weights_only=True``; that protection
    stays on.
    """
    import argparse

    import numpy as np
    import torch

    if not hasattr(torch.serialization, "add_safe_globals"):  # torch < 2.4
        return
    multiarray = getattr(np, "_core", getattr(np, "core", None)).multiarray
    allowed = [argparse.Namespace, np.ndarray, np.dtype]
    allowed += [multiarray._reconstruct, multiarray.scalar]
    allowed += [type(np.dtype(t)) for t in (np.int32, np.int64, np.float32, np.float64)]
    torch.serialization.add_safe_globals(allowed)


def restore_numpy_bucketing():
    """Give fairseq the ``np.compat.long`` and the percentiles that it asks for.

    Symptom: ``module 'numpy' has no attribute 'compat'``, then ``percentile() got
    an unexpected keyword argument 'interpolation'``, with ``--num-batch-buckets``.
    numpy >= 2.0 and >= 2.4.
    """
    import types

    import numpy as np

    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        return
    if "compat" not in vars(np):
        np.compat = types.SimpleNamespace(long=int)

    from fairseq.data import bucket_pad_length_dataset

    def get_buckets(sizes, num_buckets):
        levels = np.linspace(0, 100, num_buckets + 1)
        return np.unique(np.percentile(sizes, levels, method="lower")[1:])

    bucket_pad_length_dataset.get_buckets = get_buckets


def keep_last_batch():
    """Keep the sentences that fairseq silently leaves out of its batches.

    Symptom: ``fairseq-generate`` translates 8 of 14 sentences, and training on
    four says ``The dataset is empty``: a last batch that is no multiple of
    ``--required-batch-size-multiple`` (8 by default) is dropped. fairseq-fixed
    0.12.3.1 (fairseq's main branch).
    """
    import numpy as np
    from fairseq.data import data_utils

    original = data_utils.batch_by_size
    if hasattr(original, "__wrapped__"):
        return

    @functools.wraps(original)
    def batch_by_size(indices, *args, **kwargs):
        if not isinstance(indices, np.ndarray):
            indices = np.fromiter(indices, dtype=np.int64)
        if not len(indices):
            return []
        batches = list(original(indices, *args, **kwargs))
        kept = sum(map(len, batches))
        return batches if kept == len(indices) else [*batches, indices[kept:]]

    data_utils.batch_by_size = batch_by_size


def utf8_standard_streams():
    """Read and write UTF-8 on the standard streams whatever the locale says.

    Symptom: ``UnicodeEncodeError: 'ascii' codec`` when fairseq prints a
    hypothesis, and an abort of ``fairseq-interactive`` at an input byte that is
    not UTF-8, or a new line at a lone carriage return. Any version, under
    ``PYTHONIOENCODING=ascii`` or a C locale.
    """
    for stream, options in (
        (sys.stdin, {"errors": "surrogateescape", "newline": "\n"}),
        (sys.stdout, {"errors": "surrogateescape"}),
        (sys.stderr, {"errors": "backslashreplace"}),
    ):
        # A test or a notebook may have replaced a stream, a program read from it already.
        if hasattr(stream, "reconfigure"):
            with contextlib.suppress(io.UnsupportedOperation):
                stream.reconfigure(encoding="utf-8", **options)


def read_interactive_lines_raw(read_sentences):
    """Let ``fairseq-interactive`` read what the other commands read.

    Symptom: with ``--input FILE`` a byte that is not UTF-8 aborts it and a lone
    carriage return starts a new sentence; white space around a line is lost, a
    byte-order mark is not. Any version.

    Args:
        read_sentences (callable): a file to its lines, see ``text.lines``. It is handed
            in: what it is made of imports fairseq, and this package comes before that.
    """

    def buffered_read(path, buffer_size):
        """Lists of at most ``buffer_size`` lines of a file, or of stdin for ``-``."""
        with contextlib.ExitStack() as stack:
            stream = sys.stdin if path == "-" else stack.enter_context(open(path, "rb"))
            sentences = read_sentences(stream)
            while buffer := list(itertools.islice(sentences, buffer_size)):
                yield buffer

    for name in ("fairseq_cli.interactive", "__main__"):
        module = sys.modules.get(name)
        path = getattr(module, "__file__", None) or ""
        if os.path.basename(path) == "interactive.py" and hasattr(module, "buffered_read"):
            module.buffered_read = buffered_read


class CheckpointError(RuntimeError):
    """A checkpoint that cannot be read or does not fit; the message names the file."""


def explain_checkpoint_errors():
    """Make fairseq's loading errors name the file and what does not fit.

    Symptom: ``PytorchStreamReader failed reading zip archive`` for a truncated
    checkpoint, ``size mismatch for encoder.embed_tokens.weight`` for one of
    another task, with no word on which file. Any version.
    """
    from fairseq import checkpoint_utils

    if getattr(checkpoint_utils, "_bytefusion_explains", False):
        return
    checkpoint_utils._bytefusion_explains = True
    checkpoint_utils.load_checkpoint_to_cpu = _naming_the_file(
        checkpoint_utils.load_checkpoint_to_cpu
    )
    checkpoint_utils.load_model_ensemble_and_task = _naming_the_mismatch(
        checkpoint_utils.load_model_ensemble_and_task
    )


def _naming_the_file(load):
    @functools.wraps(load)
    def load_checkpoint_to_cpu(path, *args, **kwargs):
        try:
            return load(path, *args, **kwargs)
        except Exception as error:
            if isinstance(error, OSError) and error.filename is not None:
                raise
            raise CheckpointError(
                f"{path} cannot be read as a fairseq checkpoint, it may be cut short: "
                f"{type(error).__name__}: {error}"
            ) from error

    return load_checkpoint_to_cpu


def _naming_the_mismatch(load):
    @functools.wraps(load)
    def load_model_ensemble_and_task(
        filenames, arg_overrides=None, task=None, *args, **kwargs
    ):
        try:
            return load(filenames, arg_overrides, task, *args, **kwargs)
        except (CheckpointError, OSError):
            raise  # names the file already
        except Exception as error:
            wanted = f"the task at hand, {type(task).__name__}" if task else "its task"
            trained = ", ".join(map(_describe_checkpoint, filenames))
            raise CheckpointError(
                f"{trained} does not fit {wanted}: {type(error).__name__}: {error}"
            ) from error

    return load_model_ensemble_and_task


def _describe_checkpoint(filename):
    """``FILE (task T, arch A)`` as the checkpoint itself says."""
    from fairseq import checkpoint_utils

    state = checkpoint_utils.load_checkpoint_to_cpu(filename)
    cfg = state.get("cfg") or {}

    def name(part):
        if part not in cfg:  # cfg.get() of OmegaConf 2.0 raises
            return None
        node = cfg[part] or {}
        return node.get("_name") if hasattr(node, "get") else getattr(node, part, None)

    return f"{filename} (task {name('task')}, arch {name('model')})"
