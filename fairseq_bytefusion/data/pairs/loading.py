"""From a raw-text directory to a dataset of pairs."""

import itertools
import logging

from ..sampling import draw_counts
from ..sided_dataset import concatenated
from .pair_files import find_pair, search_pair
from .parallel import ParallelDataset

logger = logging.getLogger(__name__)


def load_parallel(
    data_dir, split, source, target, combine=0, target_required=True, **options
):
    """A split of a raw-text directory as a dataset of pairs.

    Reads ``DIR/split.src-tgt.{src,tgt}``, or the files named ``tgt-src``, of every source
    and target language in turn.

    Args:
        data_dir (str): the raw-text directory.
        split (str): ``train``, ``valid``, ``test`` ...
        source, target (Side)
        combine (int): join ``train``, ``train1``, ``train2`` ... as fairseq does, with
            ``train`` itself so often; 0: take ``train`` alone.
        target_required (bool): without, a split may have its source side only.
        **options: for :class:`~..sided_dataset.SidedDataset`.

    Returns:
        ParallelDataset

    Raises:
        FileNotFoundError: says which path was tried and what is there instead.
        ValueError: the two sides have different line counts, or no lines; some language
            pairs have references and others have none.
    """
    sides = source, target
    parts, begins = {}, []
    for langs in itertools.product(source.langs, target.langs):
        files = _find_files(data_dir, split, langs, combine, target_required)
        loaded = [_load_files(pair, langs, sides) for pair in files]
        # Without the target of one there is none of all.
        parts["-".join(langs)] = tuple(
            side.tagged(concatenated(column, combine), lang)
            for side, column, lang in zip(sides, zip(*loaded), langs)
        )
        begins += [target.dictionary.tags[langs[1]]] if target.dictionary.tags else []
    _check_references(data_dir, split, parts)
    dataset = ParallelDataset(sides, parts, begins=begins, **options)
    _announce(split, dataset)
    return dataset


def _find_files(data_dir, split, langs, combine, target_required):
    """The paths of a pair and, if they are to be joined, of those numbered behind it."""
    yield find_pair(data_dir, split, *langs, target_required)
    for k in itertools.count(1) if combine else ():
        if search_pair(data_dir, f"{split}{k}", *langs) is None:
            return
        yield find_pair(data_dir, f"{split}{k}", *langs, target_required)


def _load_files(files, langs, sides):
    """The datasets of the files of a pair: source and target, or the source alone."""
    source = sides[0].open_lines(files[0])
    if not len(source):
        raise ValueError(f"{source.path} has no lines")
    loaded = [source]
    src, tgt = langs
    prefix = source.path[: -len(src)]
    if files[1] is None:
        logger.warning("no such file: %s. There is no reference", prefix + tgt)
    else:
        loaded.append(sides[1].open_lines(files[1]))
        _check_line_counts(*loaded)
    logger.info("%s{%s,%s}: %d sentences", prefix, src, tgt, len(source))
    return loaded


def _check_line_counts(source, target):
    if len(source) != len(target):
        raise ValueError(
            "source and target must have as many lines as each other: "
            f"{source.path} has {len(source)}, {target.path} has {len(target)}"
        )


def _check_references(data_dir, split, parts):
    without = [name for name, columns in parts.items() if len(columns) < 2]
    if without and len(without) < len(parts):
        raise ValueError(
            f"{split} of {', '.join(without)} in {data_dir} has no references, that of the "
            "other pairs has: translate one after the other (-s, -t)"
        )


def _announce(split, dataset):
    """Log where each of several language pairs is, or how much of it an epoch has."""
    sizes = list(dataset.parts.values())
    if len(sizes) < 2:
        return
    drawn = draw_counts(sizes, dataset.temperature)
    start = 0
    for (name, size), count in zip(dataset.parts.items(), drawn):
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
