"""Workarounds for fairseq's checkpoints: their content and their names."""

import os

from .replacing import replacing


def options_of(state, part):
    """What a checkpoint says of its ``task``, its ``model`` ..., as a dict.

    Symptom: ``'Namespace' object is not subscriptable`` for a task or a model that is
    registered without a dataclass, ``Key 'source_unit' is not in struct`` for an option
    that a checkpoint is older than. fairseq 0.12 keeps a part as a config of OmegaConf,
    as a dict or as a Namespace.

    Args:
        state (dict): a checkpoint as fairseq reads it.
        part (str): of its configuration.

    Returns:
        dict: with ``_name``, if fairseq wrote it; empty where there is no such part.
    """
    cfg = state.get("cfg") or {}
    if part not in cfg:  # cfg.get() of OmegaConf 2.0 raises
        return {}
    options = _plain(cfg[part]) or {}
    return dict(options if isinstance(options, dict) else vars(options))


def writable(state):
    """``state`` (dict) of a checkpoint as fairseq writes it.

    Symptom: ``Weights only load failed ... Unsupported global: DictConfig`` for a
    checkpoint that was read and written again. fairseq 0.12 turns the options into a
    config of OmegaConf when it reads them.
    """
    return {**state, "cfg": _plain(state.get("cfg"))}


def _plain(config):
    """``config`` as dicts, where it is one of OmegaConf."""
    from omegaconf import OmegaConf

    if OmegaConf.is_config(config):
        return OmegaConf.to_container(config, resolve=True, enum_to_str=True)
    return config


def drop_fused_path_copies(parameters, layer):
    """Drop what fairseq saves of an encoder layer beside its own weights.

    Symptom: ``Unexpected key(s) in state_dict: "encoder.layers.0.in_proj_weight"`` for a
    ``transformer`` of fairseq 0.12.2, which copies weights for its fused encoder path.

    Args:
        parameters (dict of str to Tensor): changed in place.
        layer (str): its path.
    """
    for name in ("in_proj", "out_proj", "fc1", "fc2"):
        for kind in ("weight", "bias"):
            parameters.pop(f"{layer}.{name}_{kind}", None)


def keep_interval_checkpoints():
    """Save ``checkpoint_E_U.pt`` also where an epoch ends on a multiple of the interval.

    Symptom: with ``--save-interval-updates N`` and an epoch of N updates no checkpoint is
    named by its update, and an average of the last K finds too few. fairseq 0.12 makes
    these names within an epoch only.
    """
    from fairseq import checkpoint_utils

    @replacing(checkpoint_utils, "save_checkpoint")
    def save_checkpoint(original, cfg, trainer, epoch_itr, val_loss):
        saved = original(cfg, trainer, epoch_itr, val_loss)
        updates, interval = trainer.get_num_updates(), cfg.save_interval_updates
        is_unnamed = epoch_itr.end_of_epoch() and interval > 0 and updates % interval == 0
        is_saved = not (
            cfg.no_save or cfg.no_last_checkpoints or cfg.write_checkpoints_asynchronously
        )
        if is_unnamed and is_saved and trainer.should_save_checkpoint_on_current_rank:
            _name_last(cfg, trainer.checkpoint_suffix, epoch_itr.epoch, updates)
        return saved


def _name_last(cfg, suffix, epoch, updates):
    """Copy the checkpoint just saved; keep as many as ``--keep-interval-updates`` says."""
    from fairseq.checkpoint_utils import checkpoint_paths
    from fairseq.file_io import PathManager

    last = os.path.join(cfg.save_dir, f"checkpoint_last{suffix}.pt")
    name = os.path.join(cfg.save_dir, f"checkpoint_{epoch}_{updates}{suffix}.pt")
    PathManager.copy(last, name, overwrite=True)
    if cfg.keep_interval_updates > 0 and cfg.keep_interval_updates_pattern == -1:
        pattern = rf"checkpoint_\d+_(\d+){suffix}\.pt"
        for old in checkpoint_paths(cfg.save_dir, pattern)[cfg.keep_interval_updates :]:
            os.remove(old)


def save_checkpoints_whole():
    """Let a checkpoint have its name only when it is complete.

    Symptom: a training that was killed while it saved, or ran out of disk, leaves a
    ``checkpoint_last.pt`` that is cut short, and ``.tmp`` files. fairseq 0.12 writes the
    first of several checkpoints under another name, but copies the others into their
    places.
    """
    from fairseq import checkpoint_utils
    from fairseq.file_io import PathManager

    @replacing(checkpoint_utils, "torch_persistent_save")
    def torch_persistent_save(original, obj, filename, *args, **kwargs):
        try:
            original(obj, filename, *args, **kwargs)
        except BaseException as error:
            _remove(f"{filename}.tmp")
            if isinstance(error, OSError) and error.filename is None:
                raise OSError(error.errno, error.strerror, filename) from None
            raise

    @replacing(PathManager, "copy")
    def copy(original, src_path, dst_path, overwrite=False):
        if not PathManager.supports_rename(dst_path):
            return original(src_path, dst_path, overwrite)
        part = f"{dst_path}.tmp"  # as torch_persistent_save calls it
        try:
            copied = original(src_path, part, True)
            os.replace(part, dst_path)
        except BaseException:
            _remove(part)
            raise
        return copied


def _remove(path):
    if os.path.exists(path):
        os.remove(path)
