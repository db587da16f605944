"""What a checkpoint says of itself: its options, its size, the numbers of its modules."""

import math
from dataclasses import dataclass
from typing import Dict, List

from ..modules.named_scalars import NamedScalar, collect_scalars
from .reading import open_checkpoint
from .stand_in import stand_in_model

FAMILY = "byte_transformer"
BAR_WIDTH = 40


@dataclass
class CheckpointSummary:
    """``scalars``: the numbers that the modules of the model name, if any;
    ``not_finite``: names of the parameters that hold NaN or infinity."""

    path: str
    arch: str
    num_updates: int
    num_parameters: int
    options: Dict[str, object]
    task_options: Dict[str, object]
    scalars: List[NamedScalar]
    not_finite: List[str]


def inspect_checkpoint(path):
    """Read a checkpoint; neither its data nor its vocabularies need to be there.

    Args:
        path (str)

    Returns:
        CheckpointSummary

    Raises:
        OSError: it cannot be read.
        RuntimeError: it is no complete checkpoint.
        ValueError: its model is not of this package.
    """
    checkpoint = open_checkpoint(path)
    checkpoint.require_arch(FAMILY)
    # A table shared by several modules is saved under each of its names.
    parameters = {
        (tensor.data_ptr(), tensor.shape): tensor
        for name, tensor in checkpoint.parameters.items()
        if not _is_buffer(name)
    }
    return CheckpointSummary(
        path=path,
        arch=checkpoint.arch,
        num_updates=checkpoint.num_updates,
        num_parameters=sum(p.numel() for p in parameters.values()),
        options=_without(checkpoint.model_options, "_name"),
        task_options=_without(
            {**checkpoint.task_options, **checkpoint.task_state}, "source_words"
        ),
        scalars=collect_scalars(stand_in_model(checkpoint, FAMILY)),
        not_finite=checkpoint.not_finite,
    )


def _without(options, name):
    return {key: value for key, value in options.items() if key != name}


def _is_buffer(name):
    return name.endswith((".version", "._float_tensor", ".fingerprint"))


def format_summary(summary):
    """A summary as lines, the numbers of its modules as bars.

    Args:
        summary (CheckpointSummary)

    Returns:
        str
    """
    options, task_options = summary.options, summary.task_options
    lines = [
        summary.path,
        f"  {summary.arch}, {summary.num_parameters:,} parameters, "
        f"{summary.num_updates:,} updates",
        f"  embedders {options.get('encoder_embedder', 'dense')} / "
        f"{options.get('decoder_embedder', 'dense')}, "
        f"fusion {_fusions(options)}",
        f"  units {task_options.get('source_unit', 'byte')} / "
        f"{task_options.get('target_unit', 'byte')}{_languages(task_options)}",
    ]
    if summary.not_finite:
        lines.append(f"  NaN or infinity in {', '.join(summary.not_finite)}")
    sizes = [abs(s.value) for s in summary.scalars if math.isfinite(s.value)]
    largest = max(sizes, default=0) or 1.0
    for _, value, label in summary.scalars:
        share = abs(value) / largest if math.isfinite(value) else 0
        bar = "█" * round(BAR_WIDTH * share)
        lines.append(f"  {label} {value:8.4f} {bar}")
    return "\n".join(lines)


def _fusions(options):
    encoder = options.get("encoder_fusion", "none")
    decoder = options.get("decoder_fusion") or "none"
    return encoder if decoder == "none" else f"{encoder} / {decoder}"


def _languages(task_options):
    source, target = task_options.get("source_lang"), task_options.get("target_lang")
    if source is None or target is None:  # an older checkpoint does not say
        return ""
    tags = ", source tags" if task_options.get("source_tags") else ""
    return f", {source} into {target}{tags}"
