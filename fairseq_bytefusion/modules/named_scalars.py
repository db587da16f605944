"""Numbers worth logging: a module says what they are, and nobody else knows.

A module that has some defines ``named_scalars() -> dict[str, float]``, and may define
``scalar_label(name) -> str``, what a person calls one of them. What only
data can tell is in :mod:`.term_shares`.
"""

from collections import Counter
from typing import NamedTuple

# Where wrappers for several workers have the model.
_WRAPPED = "module."


class NamedScalar(NamedTuple):
    """A number of a model: the name it is logged by, and what a person calls it."""

    name: str
    value: float
    label: str


def collect_scalars(model):
    """The numbers of all modules of a model.

    Where several modules use a name, all numbers of these are told apart by the module's
    path, as in ``encoder.layers.0.self_attn.gate``.

    Args:
        model (nn.Module): with or without fairseq's wrapper for several workers.

    Returns:
        list of NamedScalar: in the order of the modules.
    """
    # Wrappers for several workers pass on the attributes of what they wrap.
    found = [
        (without_wrappers(path), module, module.named_scalars())
        for path, module in model.named_modules()
        if hasattr(type(module), "named_scalars")
    ]
    counts = Counter(name for _, _, numbers in found for name in numbers)
    scalars = []
    for path, module, numbers in found:
        is_shared = any(counts[name] > 1 for name in numbers)
        for name, value in numbers.items():
            label = module.scalar_label(name) if hasattr(module, "scalar_label") else name
            if is_shared:
                name, label = f"{path}.{name}", f"{path}: {label}"
            scalars.append(NamedScalar(name, value, label))
    return scalars


def without_wrappers(path):
    """The path of a module (str) in the model itself."""
    while path.startswith(_WRAPPED):
        path = path[len(_WRAPPED) :]
    return path
