"""Workarounds for how fairseq names checkpoints."""

import functools
import os
import shutil


def keep_interval_checkpoints():
    """Save ``checkpoint_E_U.pt`` also where an epoch ends on a multiple of the interval.

    Symptom: with ``--save-interval-updates N`` and an epoch of N updates no checkpoint is
    named by its update, and an average of the last K finds too few. fairseq 0.12 makes
    these names within an epoch only.
    """
    from fairseq import checkpoint_utils

    if not hasattr(checkpoint_utils.save_checkpoint, "__wrapped__"):
        checkpoint_utils.save_checkpoint = _naming_epoch_ends(
            checkpoint_utils.save_checkpoint
        )


def _naming_epoch_ends(save):
    @functools.wraps(save)
    def save_checkpoint(cfg, trainer, epoch_itr, val_loss):
        saved = save(cfg, trainer, epoch_itr, val_loss)
        updates, interval = trainer.get_num_updates(), cfg.save_interval_updates
        is_unnamed = epoch_itr.end_of_epoch() and interval > 0 and updates % interval == 0
        is_saved = not (
            cfg.no_save or cfg.no_last_checkpoints or cfg.write_checkpoints_asynchronously
        )
        if is_unnamed and is_saved and trainer.should_save_checkpoint_on_current_rank:
            _name_last(cfg, trainer.checkpoint_suffix, epoch_itr.epoch, updates)
        return saved

    return save_checkpoint


def _name_last(cfg, suffix, epoch, updates):
    """Copy the checkpoint just saved; keep as many as ``--keep-interval-updates`` says."""
    from fairseq.checkpoint_utils import checkpoint_paths

    last = os.path.join(cfg.save_dir, f"checkpoint_last{suffix}.pt")
    name = os.path.join(cfg.save_dir, f"checkpoint_{epoch}_{updates}{suffix}.pt")
    shutil.copyfile(last, f"{name}.part")
    os.replace(f"{name}.part", name)
    if cfg.keep_interval_updates > 0 and cfg.keep_interval_updates_pattern == -1:
        pattern = rf"checkpoint_\d+_(\d+){suffix}\.pt"
        for old in checkpoint_paths(cfg.save_dir, pattern)[cfg.keep_interval_updates :]:
            os.remove(old)
