"""Workarounds for how fairseq loads checkpoints: safely, and with errors that name them."""

import types

from .fairseq_checkpoints import options_of
from .replacing import replacing
from .torch import asked_for, load_weights, save_weights


def tensors_not_finite(parameters):
    """Which weights hold NaN or infinity.

    Args:
        parameters (dict of str to Tensor): of a model.

    Returns:
        list of str: their names, but for ``_float_tensor``, whose memory fairseq's
        positions never initialise.
    """
    return [
        name
        for name, tensor in parameters.items()
        if tensor.is_floating_point()
        and not name.endswith("_float_tensor")
        and not tensor.isfinite().all()
    ]


def not_finite_message(path, names):
    """What is wrong with the file ``path`` whose tensors ``names`` are not finite."""
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" * (len(names) > 3))
    return (
        f"{path} holds NaN or infinity in {shown}: its training went wrong, take a "
        "checkpoint of an earlier update"
    )


class CheckpointError(RuntimeError):
    """A checkpoint that cannot be read or does not fit; the message names the file."""


def load_weights_only():
    """Let fairseq run no code that a checkpoint holds, and say why it cannot be saved.

    Symptom: see :func:`~.torch.load_weights`, as fairseq 0.12 calls ``torch.load`` without
    ``weights_only``, and :func:`~.torch.save_weights`.
    """
    import torch
    from fairseq import checkpoint_utils

    if checkpoint_utils.torch is not torch:
        return
    # In this module alone: what others load is theirs to trust.
    checkpoint_utils.torch = _TorchOfCheckpoints("torch")


class _TorchOfCheckpoints(types.ModuleType):
    """torch, but for its ``load`` and its ``save``."""

    load = staticmethod(load_weights)
    save = staticmethod(save_weights)

    def __getattr__(self, name):
        import torch

        return getattr(torch, name)


def explain_checkpoint_errors():
    """Make fairseq's loading errors name the file and what does not fit.

    Symptom: ``PytorchStreamReader failed reading zip archive`` for a truncated
    checkpoint, ``size mismatch for encoder.embed_tokens.weight`` for one of
    another task, with no word on which file; an ``AssertionError`` of the search, or
    empty translations, for one whose weights are NaN. Any version.
    """
    from fairseq import checkpoint_utils

    replacing(checkpoint_utils, "load_checkpoint_to_cpu")(_naming_the_file)
    replacing(checkpoint_utils, "load_model_ensemble_and_task")(_naming_the_mismatch)


def _naming_the_file(load, path, *args, **kwargs):
    try:
        return load(path, *args, **kwargs)
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        if name := asked_for(error):
            raise CheckpointError(
                f"{path} cannot be read as a fairseq checkpoint: it wants to run code "
                f"when it is opened ({name}), which was not done; take it from a "
                "source that you trust"
            ) from error
        raise CheckpointError(
            f"{path} cannot be read as a fairseq checkpoint, it may be cut short: "
            f"{type(error).__name__}: {_first_line(error)}"
        ) from error


def _first_line(error):
    """What is wrong, without torch's advice to let the file run its code."""
    text = str(error).rpartition("WeightsUnpickler error:")[2].strip()
    return text.partition("\n")[0]


def _naming_the_mismatch(load, filenames, arg_overrides=None, task=None, *args, **kwargs):
    try:
        loaded = load(filenames, arg_overrides, task, *args, **kwargs)
    except (CheckpointError, OSError):
        raise  # names the file already
    except Exception as error:
        wanted = f"the task at hand, {type(task).__name__}" if task else "its task"
        trained = ", ".join(map(_describe_checkpoint, filenames))
        raise CheckpointError(
            f"{trained} does not fit {wanted}: {type(error).__name__}: {error}"
        ) from error
    for filename, model in zip(filenames, loaded[0]):
        if names := tensors_not_finite(model.state_dict()):
            raise CheckpointError(not_finite_message(filename, names))
    return loaded


def _describe_checkpoint(filename):
    """``FILE (task T, arch A)`` as the checkpoint itself says."""
    from fairseq import checkpoint_utils

    state = checkpoint_utils.load_checkpoint_to_cpu(filename)
    task, arch = (options_of(state, part).get("_name") for part in ("task", "model"))
    return f"{filename} (task {task}, arch {arch})"
