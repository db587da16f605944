"""Which sentences a model gets together."""

import contextlib
import itertools
import sys

from tqdm import tqdm


def batches_by_length(lengths, batch_size, progress=True, groups=None):
    """Batches of sentences of like length, so that little is padding; the longest first.

    Args:
        lengths (sequence of int): of all sentences.
        batch_size (int): sentences a batch.
        progress (bool or tqdm): show a progress bar on standard error, or move this one.
        groups (sequence, optional): of each sentence, which others it may be with; by
            default all.

    Yields:
        list of int: which sentences are in a batch; each is in one.
    """
    groups = [0] * len(lengths) if groups is None else groups
    order = sorted(range(len(lengths)), key=lambda i: (groups[i], -lengths[i]))
    with _bar(len(order), progress) as bar:
        for _, group in itertools.groupby(order, key=lambda i: groups[i]):
            while chosen := list(itertools.islice(group, batch_size)):
                yield chosen
                bar.update(len(chosen))


def _bar(total, progress):
    if not isinstance(progress, bool):
        return contextlib.nullcontext(progress)
    is_hidden = not progress or sys.stderr is None
    return tqdm(total=total, unit=" sentences", disable=is_hidden)
