"""Workarounds for transformers, which is an extra: it may not be there at all."""

import contextlib
import importlib
import sys


def import_transformers(needed_by):
    """The package transformers.

    Args:
        needed_by (str): a flag or a file, for messages.

    Returns:
        module

    Raises:
        ValueError: it is not installed, or does not import.
    """
    hide_broken_torchaudio()
    try:
        return importlib.import_module("transformers")
    except ImportError as error:
        raise ValueError(
            f"{needed_by} needs the package transformers ({error}): pip install "
            "'fairseq_bytefusion[huggingface]'"
        ) from error


def hide_broken_torchaudio():
    """Let nobody find a torchaudio that cannot be loaded.

    Symptom: ``OSError: Could not load this library: .../_torchaudio.so`` where a model of
    transformers is imported, and a torchaudio of another torch is installed, which fairseq
    brings along. transformers 4.57 to 5, which imports it wherever it is found.
    """
    if "torchaudio" in sys.modules:
        return
    try:
        importlib.import_module("torchaudio")
    except Exception:  # a shared library may fail in any way
        for name in [n for n in sys.modules if n.partition(".")[0] == "torchaudio"]:
            del sys.modules[name]
        # What Python takes for a module that is not there.
        sys.modules["torchaudio"] = None
        _forget_torchaudio()


def _forget_torchaudio():
    """Let a transformers that is imported already look for it again."""
    utils = sys.modules.get("transformers.utils.import_utils")
    if utils is not None:
        utils._torchaudio_available = False  # of version 4.57
        getattr(utils.is_torchaudio_available, "cache_clear", lambda: None)()


@contextlib.contextmanager
def quiet_transformers(transformers):
    """Keep transformers from printing while it loads a model.

    Symptom: progress bars, and a table of weights that were not found, which is refused or
    asked for here, on stderr. Any version.

    Args:
        transformers (module)
    """
    logging = transformers.utils.logging
    verbosity, has_bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if has_bar:
            logging.enable_progress_bar()
