"""Language pairs in a raw-text directory."""

import itertools
import logging
import os
import re

import numpy as np
from fairseq.data import ConcatDataset, LanguagePairDataset, data_utils

from .line_dataset import LineDataset

logger = logging.getLogger(__name__)

_PAIR_FILE = re.compile(
    r"(?P<split>[^.]+)\.(?P<src>[^.-]+)-(?P<tgt>[^.-]+)\.(?P<lang>[^.]+)"
)


class ParallelDataset(LanguagePairDataset):
    """fairseq's pair dataset over two :class:`LineDataset`.

    Takes the arguments of ``LanguagePairDataset``.
    """

    #: Seed of the order of equally long pairs. fairseq would draw one order in epoch 1
    #: and keep it, but draw another one when resumed in epoch 2.
    order_seed = 1

    #: ``--max-tokens``: a longer pair counts as this many, a batch of its own
    max_batch_tokens = None

    def ordered_indices(self):
        """int64[N]: pairs by length; the same whichever epoch asks for them."""
        with data_utils.numpy_seed(self.order_seed):
            return super().ordered_indices()

    def num_tokens(self, index):
        return int(self.num_tokens_vec(np.array([index]))[0])

    def num_tokens_vec(self, indices):
        """Ids of the longer side of each pair.

        Args:
            indices (int64[N])

        Returns:
            int32[N]
        """
        sizes = super().num_tokens_vec(indices)
        if self.max_batch_tokens is None:
            return sizes
        return np.minimum(sizes, self.max_batch_tokens)

    def empty(self, indices):
        """bool[N]: which pairs have an empty side (nothing but ``</s>``)."""
        empty = self.src_sizes[indices] <= 1
        return empty if self.tgt_sizes is None else empty | (self.tgt_sizes[indices] <= 1)


def _pair_files(data_dir):
    """Matches of every ``split.src-tgt.lang`` file in ``data_dir``."""
    if not os.path.isdir(data_dir):
        raise FileNotFoundError(f"no such data directory: {data_dir}")
    matches = map(_PAIR_FILE.fullmatch, sorted(os.listdir(data_dir)))
    return [m for m in matches if m and m["lang"] in (m["src"], m["tgt"])]


def infer_language_pair(data_dir):
    """The one language pair of a raw-text directory.

    Args:
        data_dir (str): holds files named ``split.src-tgt.lang``.

    Returns:
        tuple of str: source and target language.

    Raises:
        FileNotFoundError: no such directory, or no such files in it.
        ValueError: files of several pairs.
    """
    pairs = sorted({(m["src"], m["tgt"]) for m in _pair_files(data_dir)})
    if not pairs:
        raise FileNotFoundError(
            f"{data_dir} holds no files named like train.de-en.de and train.de-en.en"
        )
    if len(pairs) > 1:
        listed = ", ".join("-".join(pair) for pair in pairs)
        raise ValueError(
            f"{data_dir} holds several language pairs ({listed}): choose one with "
            "--source-lang and --target-lang"
        )
    return pairs[0]


def _find_prefix(data_dir, split, src, tgt):
    """``DIR/split.a-b.`` where ``DIR/split.a-b.src`` exists, else None."""
    for pair in (f"{src}-{tgt}", f"{tgt}-{src}"):
        prefix = os.path.join(data_dir, f"{split}.{pair}.")
        if os.path.exists(prefix + src):
            return prefix
    return None


def _missing_split(data_dir, split, src, tgt):
    there = [m.string for m in _pair_files(data_dir)]
    tried = os.path.join(data_dir, f"{split}.{src}-{tgt}.{src}")
    return FileNotFoundError(
        f"no such file: {tried} (nor its twin named {tgt}-{src}). "
        f"{data_dir} holds: {', '.join(there) if there else 'no language pair'}"
    )


def _check_line_counts(source, target):
    if len(source) != len(target):
        raise ValueError(
            "source and target must have as many lines as each other: "
            f"{source.path} has {len(source)}, {target.path} has {len(target)}"
        )


def _load_pair(prefix, src, src_dict, tgt, tgt_dict, target_required, source_limit):
    source = LineDataset(prefix + src, src_dict, source_limit)
    if os.path.exists(prefix + tgt):
        target = LineDataset(prefix + tgt, tgt_dict)
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


def _concat(datasets, upsample_primary):
    if len(datasets) == 1:
        return datasets[0]
    return ConcatDataset(datasets, [upsample_primary] + [1] * (len(datasets) - 1))


def load_parallel(
    data_dir,
    split,
    src,
    src_dict,
    tgt,
    tgt_dict,
    combine=False,
    upsample_primary=1,
    target_required=True,
    source_limit=None,
    **kwargs,
):
    """A split of a raw-text directory as a dataset of pairs.

    Reads ``DIR/split.src-tgt.{src,tgt}``, or the files named ``tgt-src``.

    Args:
        data_dir (str): the raw-text directory.
        split (str): ``train``, ``valid``, ``test`` ...
        src, tgt (str): language codes.
        src_dict, tgt_dict (ByteDictionary)
        combine (bool): join ``train``, ``train1``, ``train2`` ... as fairseq does.
        upsample_primary (int): how often ``train`` itself counts when combined.
        target_required (bool): without, a split may have its source side only.
        source_limit (int, optional): cut sources to so many ids.
        **kwargs: for :class:`ParallelDataset`.

    Returns:
        ParallelDataset

    Raises:
        FileNotFoundError: says which path was tried and what is there instead.
        ValueError: the two sides have different line counts.
    """
    pairs = []
    for k in itertools.count():
        prefix = _find_prefix(data_dir, f"{split}{k or ''}", src, tgt)
        if prefix is None:
            break
        pairs.append(
            _load_pair(prefix, src, src_dict, tgt, tgt_dict, target_required, source_limit)
        )
        if not combine:
            break
    if not pairs:
        raise _missing_split(data_dir, split, src, tgt)

    sources, targets = zip(*pairs)
    source = _concat(sources, upsample_primary)
    target = None if None in targets else _concat(targets, upsample_primary)
    return ParallelDataset(
        source,
        source.sizes,
        src_dict,
        target,
        None if target is None else target.sizes,
        tgt_dict,
        **kwargs,
    )
