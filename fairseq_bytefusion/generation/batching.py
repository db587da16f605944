"""Which sentences a model gets together."""

import sys

from tqdm import tqdm


def batches_by_length(lengths, batch_size, progress=True):
    """Batches of sentences of like length, so that little is padding; the longest first.

    Args:
        lengths (sequence of int): of all sentences.
        batch_size (int): sentences a batch.
        progress (bool): show a progress bar on standard error.

    Yields:
        list of int: which sentences are in a batch; each is in one.
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    is_hidden = not progress or sys.stderr is None
    with tqdm(total=len(order), unit=" sentences", disable=is_hidden) as bar:
        for start in range(0, len(order), batch_size):
            chosen = order[start : start + batch_size]
            yield chosen
            bar.update(len(chosen))
