"""Workarounds for torch."""

import argparse
import codecs
import contextlib
import functools
import pickle
import re
import types
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING


def allow_checkpoint_globals():
    """Let torch load what fairseq writes into a checkpoint.

    Symptom: ``Weights only load failed ... Unsupported global: argparse.Namespace``
    in generate, interactive and resumed training; and the numpy reconstruction
    functions, which ``--eval-bleu`` adds (it logs n-gram counts as arrays). torch
    >= 2.6, whose ``torch.load`` defaults to ``weights_only=True``; that protection
    stays on.
    """
    import torch

    if hasattr(torch.serialization, "add_safe_globals"):  # torch < 2.4 has none
        torch.serialization.add_safe_globals(list(_checkpoint_globals().values()))


@functools.cache
def _checkpoint_globals():
    """dict of str to object: what a checkpoint may ask for, by its name in the file.

    numpy 2 calls ``numpy._core`` what numpy 1 calls ``numpy.core``, and torch allows a
    function under its own name alone: here both names stand for it.
    """
    import numpy as np

    multiarray = getattr(np, "_core", getattr(np, "core", None)).multiarray
    numbers = [np.dtype(code) for code in "?" + np.typecodes["AllInteger"] + "efdg"]
    allowed = [argparse.Namespace, np.ndarray, np.dtype, *map(type, numbers), codecs.encode]
    allowed += [set, bytearray, complex]  # as torch itself
    for module in ("numpy._core.multiarray", "numpy.core.multiarray"):
        allowed.append(_renamed(multiarray._reconstruct, module))
        allowed.append(_renamed(multiarray.scalar, module))
    return {f"{found.__module__}.{found.__name__}": found for found in allowed}


def _renamed(function, module):
    """A function that does what ``function`` does and says it is of ``module``."""

    def renamed(*args):
        return function(*args)

    renamed.__name__ = renamed.__qualname__ = function.__name__
    renamed.__module__ = module
    return renamed


@contextlib.contextmanager
def naming_missing_precision():
    """Say which flag a device cannot do.

    Symptom: ``"addmm_impl_cpu_" not implemented for 'Half'`` for ``--cpu --fp16``. torch
    < 2.2 on a CPU.

    Raises:
        ValueError: torch cannot compute with so few bits on this device.
    """
    import torch

    try:
        yield
    except RuntimeError as error:
        found = re.search(r"not implemented for '(Half|BFloat16)'", str(error))
        if not found:
            raise
        flag = {"Half": "--fp16", "BFloat16": "--bf16"}[found[1]]
        raise ValueError(
            f"torch {torch.__version__} cannot translate with {flag} on this device "
            f"({error}): drop {flag}"
        ) from error


def load_weights(file, **kwargs):
    """``torch.load`` that runs no code of the file, whatever the version.

    Symptom: a checkpoint that was made to does what it likes when it is loaded. torch <
    2.6, which unpickles everything unless told otherwise; torch < 2.4 cannot be told
    what else is harmless.

    Args:
        file (file): a binary one.
        kwargs: of ``torch.load``.

    Returns:
        object

    Raises:
        pickle.UnpicklingError: it asks for what is not allowed, see :func:`asked_for`.
    """
    import torch

    if hasattr(torch.serialization, "add_safe_globals"):
        return torch.load(file, weights_only=True, **kwargs)
    return torch.load(file, pickle_module=restricted_pickle(), **kwargs)


class _Writer:
    """A binary file that remembers why it could not be written."""

    def __init__(self, file):
        self._file, self.error = file, None

    def write(self, data):
        try:
            return self._file.write(data)
        except OSError as error:
            self.error = error
            raise

    def flush(self):
        self._file.flush()


def save_weights(state, file):
    """``torch.save`` from the start of a file, which says why it cannot be written.

    Symptom: ``unexpected pos 704 vs 598`` for a full disk; ``invalid header or archive is
    corrupted`` for a checkpoint that fairseq saved when it was full for a moment, since
    fairseq 0.12 tries three times, each behind what the one before has left. Any version.

    Args:
        state (object)
        file (file): a binary one.

    Raises:
        OSError: it cannot be written.
    """
    import torch

    if file.seekable():
        file.seek(0)
        file.truncate()
    writer = _Writer(file)
    try:
        torch.save(state, writer)
    except Exception:
        if writer.error is not None:
            raise writer.error from None
        raise


def restricted_pickle():
    """A module like ``pickle`` that only finds what a checkpoint may ask for.

    Returns:
        module: with what ``torch.load`` needs of its ``pickle_module``.
    """
    from torch import _weights_only_unpickler

    allowed = {**_weights_only_unpickler._get_allowed_globals(), **_checkpoint_globals()}

    class Unpickler(pickle.Unpickler):
        def find_class(self, module, name):
            # A checkpoint has the names of Python 2, in which protocol 2 was made.
            module, name = NAME_MAPPING.get(
                (module, name), (IMPORT_MAPPING.get(module, module), name)
            )
            if f"{module}.{name}" not in allowed:
                raise pickle.UnpicklingError(
                    f"GLOBAL {module}.{name} was not an allowed global"
                )
            return allowed[f"{module}.{name}"]

    def load(file, **kwargs):
        return Unpickler(file, **kwargs).load()

    module = types.ModuleType("restricted_pickle")
    module.Unpickler, module.load = Unpickler, load
    module.UnpicklingError = pickle.UnpicklingError
    return module


def asked_for(error):
    """What a file asked for that :func:`load_weights` does not allow.

    Args:
        error (Exception): of loading it.

    Returns:
        str: the name; None where the error is another.
    """
    found = re.search(r"\bGLOBAL (\S+) (?:was not an allowed|whose module)", str(error))
    return found and found[1]
