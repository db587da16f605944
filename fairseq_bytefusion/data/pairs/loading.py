"""From a raw-text directory to a dataset of pairs."""

import functools
import itertools
import logging
import os

from fairseq.data import ConcatDataset, PrependTokenDataset

from ..lines.line_dataset import LineDataset
from ..sampling import draw_counts
from .pair_files import find_prefix, missing_split
from .parallel import ParallelDataset

logger = logging.getLogger(__name__)


def load_parallel(
    data_dir,
    split,
    sources,
    src_dict,
    tgt,
    tgt_dict,
    combine=False,
    upsample_primary=1,
    target_required=True,
    source_limit=None,
    target_limit=None,
    **kwargs,
):
    """A split of a raw-text directory as a dataset of pairs.

    Reads ``DIR/split.src-tgt.{src,tgt}``, or the files named ``tgt-src``, of every source
    language in turn.

    Args:
        data_dir (str): the raw-text directory.
        split (str): ``train``, ``valid``, ``test`` ...
        sources (list of str), tgt (str): language codes.
        src_dict (TextDictionary): if it has tags, every source begins with that of its
            language.
        tgt_dict (TextDictionary)
        combine (bool): join ``train``, ``train1``, ``train2`` ... as fairseq does.
        upsample_primary (int): how often ``train`` itself counts when combined.
        target_required (bool): without, a split may have its source side only.
        source_limit, target_limit (int, optional): cut that side to so many ids.
        **kwargs: for :class:`ParallelDataset`.

    Returns:
        ParallelDataset

    Raises:
        FileNotFoundError: says which path was tried and what is there instead.
        ValueError: the two sides have different line counts, or no lines; some language
            pairs have references and others have none.
    """
    if source_limit is not None and src_dict.tags:
        source_limit -= 1
    load_files = functools.partial(
        _load_files,
        src_dict=src_dict,
        tgt_dict=tgt_dict,
        target_required=target_required,
        limits=(source_limit, target_limit),
    )
    loaded = {}
    for src in sources:
        source, target = _load_language_pair(
            data_dir, split, src, tgt, combine, upsample_primary, load_files
        )
        if src_dict.tags:
            source = PrependTokenDataset(source, src_dict.tags[src])
        loaded[f"{src}-{tgt}"] = source, target
    _check_references(data_dir, split, loaded)
    source = _concat([source for source, _ in loaded.values()])
    targets = [target for _, target in loaded.values()]
    target = None if None in targets else _concat(targets)
    dataset = ParallelDataset(
        source,
        source.sizes,
        src_dict,
        target,
        None if target is None else target.sizes,
        tgt_dict,
        language_pairs={name: len(source) for name, (source, _) in loaded.items()},
        source_specials=1 + bool(src_dict.tags),
        **kwargs,
    )
    _announce(split, dataset)
    return dataset


def _load_language_pair(data_dir, split, src, tgt, combine, upsample_primary, load_files):
    """The datasets of both sides; None for a target that is not there."""
    pairs = []
    for k in itertools.count():
        prefix = find_prefix(data_dir, f"{split}{k or ''}", src, tgt)
        if prefix is None:
            break
        pairs.append(load_files(prefix, src, tgt))
        if not combine:
            break
    if not pairs:
        raise missing_split(data_dir, split, src, tgt)
    sources, targets = zip(*pairs)
    target = None if None in targets else _concat(targets, upsample_primary)
    return _concat(sources, upsample_primary), target


def _load_files(prefix, src, tgt, src_dict, tgt_dict, target_required, limits):
    source = LineDataset(prefix + src, src_dict, limits[0])
    if not len(source):
        raise ValueError(f"{source.path} has no lines")
    if os.path.exists(prefix + tgt):
        target = LineDataset(prefix + tgt, tgt_dict, limits[1])
        _check_line_counts(source, target)
    elif target_required:
        raise FileNotFoundError(
            f"no such file: {prefix + tgt}, the target side of {prefix + src}"
        )
    else:
        target = None
        logger.warning("no such file: %s. There is no reference", prefix + tgt)
    logger.info("%s{%s,%s}: %d sentences", prefix, src, tgt, len(source))
    return source, target


def _check_line_counts(source, target):
    if len(source) != len(target):
        raise ValueError(
            "source and target must have as many lines as each other: "
            f"{source.path} has {len(source)}, {target.path} has {len(target)}"
        )


def _check_references(data_dir, split, loaded):
    without = [name for name, (_, target) in loaded.items() if target is None]
    if without and len(without) < len(loaded):
        raise ValueError(
            f"{split} of {', '.join(without)} in {data_dir} has no references, that of the "
            "other pairs has: translate one after the other (-s)"
        )


def _concat(datasets, upsample_primary=1):
    if len(datasets) == 1:
        return datasets[0]
    return ConcatDataset(datasets, [upsample_primary] + [1] * (len(datasets) - 1))


def _announce(split, dataset):
    """Log where each of several language pairs is, or how much of it an epoch has."""
    sizes = list(dataset.language_pairs.values())
    if len(sizes) < 2:
        return
    drawn = draw_counts(sizes, dataset.temperature)
    start = 0
    for (name, size), count in zip(dataset.language_pairs.items(), drawn):
        if dataset.shuffle:
            logger.info(
                "%s: an epoch has %d sentences of %s, %.1f%%, from %d",
                *(split, count, name, 100 * count / drawn.sum(), size),
            )
        else:
            logger.info(
                "%s: %s is sentences %d to %d", split, name, start, start + size - 1
            )
        start += size
