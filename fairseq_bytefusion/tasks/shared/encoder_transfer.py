"""Start the encoder of a new model from that of another, whatever its task is."""

import logging
from argparse import Namespace
from collections import Counter

import torch

from ...checkpoints.reading import open_checkpoint
from ...compat.fairseq_checkpoints import options_of
from ...compat.fairseq_restoring import is_for_training
from ...models.options import complete, resolve_as_before, unlike
from ...models.options.groups import flag
from ...models.options.labelling import LabellingOptions
from ...modules.embedders.mixture import WordTable
from .starting import require_start

logger = logging.getLogger(__name__)

_FLAG = "--encoder-from"
_PREFIX = "encoder."
# Tasks whose vocabulary is kept, but that have no such encoder: what takes from them.
_INSTEAD = {
    "word_language_model": "--encoder-embedder elmo --elmo-from",
    "masked_characters": "--composer-from",
}


class EncoderTransfer:
    """For a task with ``source_dictionary``: new models may start from an encoder."""

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; ``--freeze-encoder`` is for training alone."""
        model = super().build_model(cfg, from_checkpoint)
        if getattr(cfg, "freeze_encoder", False) and not from_checkpoint:
            model.encoder.freeze()
        return model

    def start_training(self, model, cfg):
        """Called before a training that does not go on from a checkpoint of its own.

        Args:
            model (BaseFairseqModel): changed in place.
            cfg (DictConfig or Namespace): its options.

        Raises:
            OSError, RuntimeError, ValueError: see :func:`start_from_encoder`.
        """
        if getattr(cfg, "encoder_from", None):
            start_from_encoder(model, cfg, self)


def start_from_encoder(model, cfg, task):
    """Copy the encoder of ``--encoder-from`` into a new model.

    The tables of known words get the rows of those words that the checkpoint knows.

    Args:
        model (BaseFairseqModel): with an ``encoder``; changed in place.
        cfg (DictConfig or Namespace): the options of ``model``.
        task (FairseqTask): gives ``check_source()`` and ``source_words()``.

    Raises:
        OSError, RuntimeError: a checkpoint that cannot be read.
        ValueError: a model without an encoder, an encoder of another shape, or one of
            other symbols.
    """
    path = cfg.encoder_from
    require_start(_FLAG, path)
    checkpoint = open_checkpoint(path)
    if checkpoint.task in _INSTEAD:
        raise ValueError(
            f"{_FLAG} {path} is a model of --task {checkpoint.task}, which has no encoder "
            f"of sentences for it: give {_INSTEAD[checkpoint.task]} {path} instead"
        )
    taken = _encoder_of(checkpoint, model)
    if not taken or "source_vocabulary" not in checkpoint.task_state:
        raise ValueError(
            f"{_FLAG} {path} holds no encoder of raw text, but a model of --arch "
            f"{checkpoint.arch} and --task {checkpoint.task}"
        )
    checkpoint.require_finite()
    try:
        task.check_source(checkpoint.task_state)
    except ValueError as error:
        raise ValueError(f"{_FLAG} {path} cannot be taken: {error}") from None
    _check_options(path, checkpoint.model_options, cfg)
    _take_known_words(path, taken, checkpoint.source_words, model.encoder, cfg, task)
    _check_shapes(path, taken, model.encoder.state_dict())
    model.encoder.load_state_dict(taken)
    _log(path, checkpoint.parameters)


def _encoder_of(checkpoint, model):
    """dict of str to Tensor: its parameters and buffers, under today's names."""

    def chosen(parameters):
        return {n: value for n, value in parameters.items() if n.startswith(_PREFIX)}

    parameters = chosen(checkpoint.parameters)
    model.upgrade_state_dict(parameters)  # which adds some of the other parts
    return {n[len(_PREFIX) :]: value for n, value in chosen(parameters).items()}


def _check_options(path, saved, cfg):
    # Which any encoder has; what pools its states stands behind it.
    options, elsewhere = LabellingOptions, {"word_pooling"}
    saved = Namespace(**saved)
    resolve_as_before(options, saved)
    then = complete(options, saved)
    now = complete(options, Namespace(**options_of({"cfg": {"model": cfg}}, "model")))
    if not then.encoder_learned_pos:  # without, any length can be encoded
        elsewhere.add("max_source_positions")
    differing = [
        name
        for name in unlike(options, then, now)
        if not is_for_training(name) and name not in elsewhere
    ]
    if differing:
        wanted = ", ".join(_given(name, getattr(then, name)) for name in differing)
        found = ", ".join(str(getattr(now, name)) for name in differing)
        raise ValueError(f"{_FLAG} {path} has another encoder: {wanted} (now {found})")


def _given(name, value):
    """How an option gets a value: ``give --encoder-layers 3``."""
    if isinstance(value, bool):
        return f"{'give' if value else 'drop'} {flag(name)}"
    return f"give {flag(name)} {value}"


def _take_known_words(path, taken, words, encoder, cfg, task):
    """Put the rows of tables of words in the order of the new ones; ``taken`` is changed.

    A checkpoint older than its list of words (None) is left as it is.
    """
    tables = {n: m for n, m in encoder.named_modules() if isinstance(m, WordTable)}
    if not tables or words is None or words == task.source_words():
        return
    row_of = {word: row for row, word in enumerate(words)}
    known = [(i, row_of[w]) for i, w in enumerate(task.source_words()) if w in row_of]
    total = len(task.source_words())
    if cfg.freeze_encoder and len(known) < total:
        raise ValueError(
            f"--freeze-encoder would keep random rows: {path} lacks {total - len(known)} "
            f"of {total} known words; put its list of words in the place of this one, or "
            "drop that flag"
        )
    rows = torch.tensor(known, dtype=torch.long).view(-1, 2)
    for name, table in tables.items():
        weight = table.weight.detach().cpu().clone()
        weight[rows[:, 0]] = taken[f"{name}.weight"][rows[:, 1]].to(weight)
        taken[f"{name}.weight"] = weight
        taken[f"{name}.fingerprint"] = table.fingerprint
    logger.info(
        "word table: %d of %d rows from %s, the others new; %d of its %d words are not "
        "taken",
        *(len(known), total, path, len(words) - len(known), len(words)),
    )


def _check_shapes(path, taken, own):
    then, now = ({n: tuple(v.shape) for n, v in part.items()} for part in (taken, own))
    for name in sorted({*then, *now}):
        if then.get(name) != now.get(name):
            raise ValueError(
                f"{_FLAG} {path} has another encoder: encoder.{name} is "
                f"{then.get(name, 'absent')} there, {now.get(name, 'absent')} here"
            )


def _log(path, parameters):
    parts = Counter(name.split(".")[0] for name in parameters)
    count = parts.pop("encoder")
    others = ", ".join(f"{part} ({number})" for part, number in sorted(parts.items()))
    logger.info(
        "encoder: its %d tensors are those of %s, of which are not taken: %s",
        *(count, path, others or "none"),
    )
