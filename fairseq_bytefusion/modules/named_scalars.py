"""Numbers worth logging: a module says what they are, and nobody else knows.

A module that has some defines ``named_scalars() -> dict[str, float]``, and may define
``scalar_label(name) -> str``, what a person calls one of them.
"""

from collections import Counter
from typing import NamedTuple

import torch.nn as nn


class NamedScalar(NamedTuple):
    """A number of a model: the name it is logged by, and what a person calls it."""

    name: str
    value: float
    label: str


def collect_scalars(model):
    """The numbers of all modules of a model.

    A name that several modules use is told apart by the module's path, as in
    ``encoder.layers.0.self_attn.gate``.

    Args:
        model (nn.Module): with or without fairseq's wrapper for several workers.

    Returns:
        list of NamedScalar: in the order of the modules.
    """
    while isinstance(getattr(model, "module", None), nn.Module):
        model = model.module
    found = [
        (path, module, name, value)
        for path, module in model.named_modules()
        if hasattr(module, "named_scalars")
        for name, value in module.named_scalars().items()
    ]
    counts = Counter(name for _, _, name, _ in found)
    scalars = []
    for path, module, name, value in found:
        label = module.scalar_label(name) if hasattr(module, "scalar_label") else name
        if counts[name] > 1:
            name, label = f"{path}.{name}", f"{path}: {label}"
        scalars.append(NamedScalar(name, value, label))
    return scalars
