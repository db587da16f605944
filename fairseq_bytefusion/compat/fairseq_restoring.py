"""Workarounds for how fairseq goes on with a training, or starts from a checkpoint."""

import argparse
import logging
import os
import re

from .fairseq_checkpoints import options_of
from .fairseq_loading import CheckpointError
from .replacing import replacing

logger = logging.getLogger(__name__)

_TRAINING_ONLY = re.compile(
    "dropout|layerdrop|quant_noise|checkpoint_activations|offload|min_params_to_wrap"
    "|char2subword_from|composer_from|freeze_composer|encoder_from|freeze_encoder"
    "|lookahead_heads|lookahead_only|^pretrained$|elmo_from|elmo_finetune"
)
# As large as the longest sentence, unless positions are learned.
_LIMITS = ("max_source_positions", "max_target_positions")
_MOST = 6
_REMEDY = "give those of the checkpoint, or train anew in another --save-dir"


def explain_restoring():
    """Say what does not fit where training starts from a checkpoint.

    Symptom: a screen of torch's ``size mismatch for ...`` and ``please ensure that the
    architectures match`` where options are others than those of the checkpoint, nothing
    where these leave all sizes as they were; training from scratch for a
    ``--restore-file`` that is not there; and a vocabulary of the same size, but another
    one, is taken. Any version. A task may refuse what it kept in the checkpoint by its
    method ``check_restored(task_state)``. Where there is no checkpoint, its method
    ``start_training(model, model_cfg)`` is called: when fairseq builds a model, it does
    not know yet whether a training goes on.
    """
    from fairseq import checkpoint_utils
    from fairseq.trainer import Trainer

    @replacing(Trainer, "load_checkpoint")
    def load_checkpoint(original, self, filename, *args, **kwargs):
        _require_file(self.cfg.checkpoint.restore_file, filename)
        seen, load_state = {}, checkpoint_utils.load_checkpoint_to_cpu

        def load_and_check(path, *args, **kwargs):
            state = load_state(path, *args, **kwargs)
            _check_task(self.task, path, state.get("task_state") or {})
            # Not the state: fairseq frees its weights as soon as they are loaded.
            stored = options_of(state, "model")
            seen["options"] = then = _as_before(self._model, stored)
            seen["as stored"] = {n for n in then if then[n] == stored.get(n)}
            seen["shapes"] = _shapes(state["model"])
            return state

        checkpoint_utils.load_checkpoint_to_cpu = load_and_check
        try:
            extra_state = original(self, filename, *args, **kwargs)
        except Exception as error:
            reason = _reason(self, seen, error)
            if reason is None:
                raise
            raise CheckpointError(f"{filename} {reason}") from None
        finally:
            checkpoint_utils.load_checkpoint_to_cpu = load_state
        # Where nobody chose, but a default has changed since.
        changes = _changed_options(self, seen, seen.get("as stored", ()))
        if changes:
            raise CheckpointError(f"{filename} is of another model ({changes}): {_REMEDY}")
        if extra_state is None:
            start_training = getattr(self.task, "start_training", lambda model, cfg: None)
            start_training(self._model, self.cfg.model)
        changes = _changed_options(self, seen, _LIMITS)
        if changes:
            logger.warning(
                "the model is not quite that of %s, though it has the same sizes: %s",
                *(filename, changes),
            )
        return extra_state


def _as_before(model, options):
    """What a checkpoint's options (dict) meant, where ``model`` knows of older defaults."""
    saved = argparse.Namespace(**options)
    getattr(model, "resolve_as_before", lambda saved: None)(saved)
    return vars(saved)


def _require_file(wanted, filename):
    if wanted != "checkpoint_last.pt" and not os.path.exists(filename):
        raise FileNotFoundError(
            f"--restore-file {filename}: no such file; drop that flag to go on from "
            "checkpoint_last.pt of --save-dir, or to train from scratch"
        )


def _check_task(task, path, state):
    try:
        getattr(task, "check_restored", lambda state: None)(state)
    except ValueError as error:
        raise CheckpointError(f"{path} does not fit this training: {error}") from None


def _reason(trainer, seen, error):
    """What to say of an error, as a sentence about the file; None of one not known."""
    message = str(error)
    if isinstance(error, (CheckpointError, OSError)) or not seen:
        return None
    if "Criterion does not match" in message or "Optimizer does not match" in message:
        what = message.split()[0]
        then, now = message.rpartition("). ")[2].split(" vs ")
        if ("FP16" in then) != ("FP16" in now):  # fairseq's optimizer of both flags
            bits = ("without", "with") if "FP16" in now else ("with", "without")
            return (
                "was trained {} --fp16 or --bf16, here it is {}: do as then, or give "
                "--reset-optimizer to keep nothing but the weights"
            ).format(*bits)
        return (
            f"was trained with another --{what.lower()}, {then}, here it is {now}: give "
            "that one, or --reset-optimizer to keep nothing but the weights"
        )
    if "Cannot load model parameters" in message:
        remedy = _REMEDY
    elif "doesn't match the size of optimizer's group" in message:
        remedy = "give those of the checkpoint, or --reset-optimizer"
    else:
        return None
    changes = _changed_options(trainer, seen) or _changed_shapes(trainer, seen)
    return changes and f"is of another model ({changes}): {remedy}"


def _changed_options(trainer, seen, ignored=()):
    """``--encoder-embed-dim 64 in the checkpoint, 32 here; ...`` of the model's options."""
    then = seen.get("options", {})
    now = options_of({"cfg": {"model": trainer.cfg.model}}, "model")
    return _listed(
        f"{_flag(name)} {then[name]} in the checkpoint, {now[name]} here"
        for name in sorted(then, key=lambda name: (name != "_name", name))
        if name in now
        and then[name] != now[name]
        and name not in ignored
        and not is_for_training(name)
    )


def is_for_training(name):
    """bool: whether an option (str) changes how a model is trained, not what it is."""
    return _TRAINING_ONLY.search(name) is not None


def _flag(name):
    return "--arch" if name == "_name" else f"--{name.replace('_', '-')}"


def _changed_shapes(trainer, seen):
    """``encoder.embed_tokens.weight is 9 x 32 in the checkpoint, 8 x 32 here; ...``."""
    then, now = seen["shapes"], _shapes(trainer.model.state_dict())
    return _listed(
        f"{name} is {then.get(name, 'absent')} in the checkpoint, "
        f"{now.get(name, 'absent')} here"
        for name in sorted({*then, *now})
        if then.get(name) != now.get(name)
    )


def _shapes(parameters):
    return {name: " x ".join(map(str, value.shape)) for name, value in parameters.items()}


def _listed(changes):
    changes = list(changes)
    more = [f"and {len(changes) - _MOST} more"] if len(changes) > _MOST else []
    return "; ".join([*changes[:_MOST], *more])


def stop_at_max_update():
    """Do not train on what was trained to its end.

    Symptom: the command of a training that had reached ``--max-update``, given again,
    makes one update more and saves that. fairseq 0.12 asks after an update whether it was
    the last.
    """
    from fairseq import checkpoint_utils

    @replacing(checkpoint_utils, "load_checkpoint")
    def load_checkpoint(original, cfg, trainer, **kwargs):
        loaded = original(cfg, trainer, **kwargs)
        limit, updates = trainer.cfg.optimization.max_update, trainer.get_num_updates()
        if 0 < limit <= updates:
            logger.info("--max-update %d was reached before: nothing is left", limit)
            trainer.cfg.optimization.max_epoch = -1  # 0 would be no limit
        return loaded
