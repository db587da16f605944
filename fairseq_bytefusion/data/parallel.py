"""Language pairs in a raw-text directory."""

import itertools
import logging
import os
import re

import numpy as np
from fairseq.data import ConcatDataset, LanguagePairDataset, data_utils

from .line_dataset import LineDataset

logger = logging.getLogger(__name__)

_PAIR_FILE = re.compile(r"[^.]+\.(?P<pair>[^.]+-[^.]+)\.(?P<lang>[^.]+)")


class ParallelDataset(LanguagePairDataset):
    """fairseq's pair dataset over two :class:`LineDataset`.

    Takes the arguments of ``LanguagePairDataset``. ``src_lengths`` and
    ``tgt_lengths`` (int32[N]) are those of the pairs, where ``src_sizes`` and
    ``tgt_sizes`` may be those of their buckets.
    """

    #: Seed of the order of equally long pairs. fairseq would draw one order in epoch 1
    #: and keep it, but draw another one when resumed in epoch 2.
    order_seed = 1

    #: ``--max-tokens``: a longer pair counts as this many, a batch of its own
    max_batch_tokens = None

    def __init__(self, src, src_sizes, src_dict, tgt=None, tgt_sizes=None, *args, **kwargs):
        self.src_lengths = np.asarray(src_sizes)
        self.tgt_lengths = None if tgt_sizes is None else np.asarray(tgt_sizes)
        super().__init__(src, src_sizes, src_dict, tgt, tgt_sizes, *args, **kwargs)

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
        empty = self.src_lengths[indices] <= 1
        if self.tgt_lengths is None:
            return empty
        return empty | (self.tgt_lengths[indices] <= 1)


def _pair_files(data_dir):
    """Names of the ``split.src-tgt.lang`` files in ``data_dir`` -> (src, tgt)."""
    if not os.path.isdir(data_dir):
        raise FileNotFoundError(f"no such data directory: {data_dir}")
    files = {}
    for match in map(_PAIR_FILE.fullmatch, sorted(os.listdir(data_dir))):
        if match is None:
            continue
        pair, lang = match["pair"], match["lang"]
        # A code may hold a hyphen itself: train.zh-CN-en.zh-CN.
        if pair.startswith(f"{lang}-"):
            files[match.string] = (lang, pair[len(lang) + 1 :])
        elif pair.endswith(f"-{lang}"):
            files[match.string] = (pair[: -len(lang) - 1], lang)
    return files


def infer_language_pair(data_dir, src=None, tgt=None):
    """The one language pair of a raw-text directory that has the given sides.

    Args:
        data_dir (str): holds files named ``split.src-tgt.lang``.
        src, tgt (str, optional): what is known of the pair.

    Returns:
        tuple of str: source and target language.

    Raises:
        FileNotFoundError: no such directory, or no such files in it.
        ValueError: files of several pairs, or of none with these sides.
    """
    there = sorted(set(_pair_files(data_dir).values()))
    if not there:
        raise FileNotFoundError(
            f"{data_dir} holds no files named like train.de-en.de and train.de-en.en"
        )
    either_way = there + [(b, a) for a, b in there] if src or tgt else there
    pairs = [p for p in either_way if src in (None, p[0]) and tgt in (None, p[1])]
    if not pairs:
        listed = ", ".join("-".join(pair) for pair in there)
        raise ValueError(
            f"{data_dir} holds the pairs {listed}: none of them fits --source-lang {src} "
            f"--target-lang {tgt}"
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
    there = list(_pair_files(data_dir))
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


def _load_pair(prefix, src, src_dict, tgt, tgt_dict, target_required, limits):
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
    target_limit=None,
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
        source_limit, target_limit (int, optional): cut that side to so many ids.
        **kwargs: for :class:`ParallelDataset`.

    Returns:
        ParallelDataset

    Raises:
        FileNotFoundError: says which path was tried and what is there instead.
        ValueError: the two sides have different line counts, or no lines.
    """
    limits = (source_limit, target_limit)
    pairs = []
    for k in itertools.count():
        prefix = _find_prefix(data_dir, f"{split}{k or ''}", src, tgt)
        if prefix is None:
            break
        pairs.append(
            _load_pair(prefix, src, src_dict, tgt, tgt_dict, target_required, limits)
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
