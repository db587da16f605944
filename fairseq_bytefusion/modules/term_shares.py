"""Shares worth logging: how much each term of a sum contributes on real data.

A module that adds up terms has a class attribute ``term_sums = None``. While it is
measured, that is a dict, and ``forward`` hands each term to :func:`add_term` under the name
that its share is logged by. Nothing of it is a parameter or a buffer.
"""

from contextlib import contextmanager

import torch

from .named_scalars import without_wrappers

#: what is summed over the values of a term; such sums add up over batches and workers
SUMS = ("count", "sum", "squares")


@contextmanager
def measured_terms(model):
    """Within, the modules of a model that add up terms sum what there is to say of these.

    Args:
        model (nn.Module): with or without fairseq's wrapper for several workers.

    Yields:
        dict: path of a module -> name of a term -> its ``SUMS``, list of float.
    """
    found, measured = {}, []
    for path, module in model.named_modules():
        if hasattr(type(module), "term_sums"):
            module.term_sums = found[without_wrappers(path)] = {}
            measured.append(module)
    try:
        yield found
    finally:
        for module in measured:
            module.term_sums = None


def add_term(term_sums, name, values):
    """Add values of a term to its sums.

    Args:
        term_sums (dict): changed in place.
        name (str): of the term.
        values (Float): of any shape; without those of padding.
    """
    values = values.float()
    totals = torch.stack([values.sum(), values.square().sum()]).tolist()
    before = term_sums.get(name, [0.0] * len(SUMS))
    term_sums[name] = [x + y for x, y in zip(before, [values.numel(), *totals])]


def term_shares(term_sums):
    """The standard deviation of each term over the sum of all of them.

    Args:
        term_sums (dict): name of a term -> its ``SUMS``.

    Returns:
        dict of str to float: they add up to 1, or are all 0 where no term varies.
    """
    deviations = {name: _deviation(*sums) for name, sums in term_sums.items()}
    whole = sum(deviations.values())
    return {name: d / whole if whole else 0.0 for name, d in deviations.items()}


def _deviation(count, total, squares):
    if not count:
        return 0.0
    variance = squares / count - (total / count) ** 2
    # Of a constant, rounding may leave less than nothing; NaN stays NaN.
    return 0.0 if variance < 0 else variance**0.5
