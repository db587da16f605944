"""A task over a folder, the batches of a split, and a training in this process."""

from fairseq import options
from fairseq.dataclass.utils import convert_namespace_to_omegaconf
from fairseq_cli.train import main

from fairseq_bytefusion.tasks.byte_classification import (
    ByteClassificationConfig,
    ByteClassificationTask,
)
from fairseq_bytefusion.tasks.byte_tagging import ByteTaggingConfig, ByteTaggingTask
from fairseq_bytefusion.tasks.byte_translation import (
    ByteTranslationConfig,
    ByteTranslationTask,
)

from ..helpers import TRAIN_FLAGS, USER_DIR


def train_here(data, save_dir, *flags):
    """What ``helpers.train`` does, in this process and without validation."""
    parser = options.get_training_parser()
    words = [
        *(data, "--save-dir", save_dir, "--user-dir", USER_DIR, *TRAIN_FLAGS),
        *("--cpu", "--disable-validation", "--no-epoch-checkpoints", *flags),
    ]
    args = options.parse_args_and_arch(parser, [str(word) for word in words])
    main(convert_namespace_to_omegaconf(args))


def make_task(data, **options):
    cfg = ByteTranslationConfig(data=str(data), source_lang="xx", target_lang="en")
    cfg.train_subset, cfg.required_seq_len_multiple = "train", 1
    for name, value in options.items():
        setattr(cfg, name, value)
    return ByteTranslationTask.setup_task(cfg)


def label_task(kind, data, **options):
    """A task of labelled text: tagging or classification."""
    config, task = {
        "tagging": (ByteTaggingConfig, ByteTaggingTask),
        "classification": (ByteClassificationConfig, ByteClassificationTask),
    }[kind]
    cfg = config(data=str(data))
    cfg.train_subset, cfg.required_seq_len_multiple = "train", 1
    for name, value in options.items():
        setattr(cfg, name, value)
    return task.setup_task(cfg)


def batches(task, split, max_tokens=1000, max_positions=(2048, 2048), max_sentences=None):
    iterator = task.get_batch_iterator(
        task.dataset(split),
        max_tokens=max_tokens,
        max_sentences=max_sentences,
        max_positions=max_positions,
        ignore_invalid_inputs=split == "train",
    )
    return list(iterator.next_epoch_itr(shuffle=False))


def ids(found):
    return sorted(i for batch in found for i in batch["id"].tolist())
