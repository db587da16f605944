"""A task over a folder, and the batches of a split."""

from fairseq_bytefusion.tasks.byte_translation import (
    ByteTranslationConfig,
    ByteTranslationTask,
)


def make_task(data, **options):
    cfg = ByteTranslationConfig(data=str(data), source_lang="xx", target_lang="en")
    cfg.train_subset, cfg.required_seq_len_multiple = "train", 1
    for name, value in options.items():
        setattr(cfg, name, value)
    return ByteTranslationTask.setup_task(cfg)


def batches(task, split, max_tokens=1000, max_positions=(2048, 2048)):
    iterator = task.get_batch_iterator(
        task.dataset(split),
        max_tokens=max_tokens,
        max_positions=max_positions,
        ignore_invalid_inputs=split == "train",
    )
    return list(iterator.next_epoch_itr(shuffle=False))


def ids(found):
    return sorted(i for batch in found for i in batch["id"].tolist())
