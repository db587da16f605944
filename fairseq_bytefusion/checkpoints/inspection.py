"""What a checkpoint says of itself: its options, its size, the numbers of its modules."""

import math
from dataclasses import dataclass
from typing import Dict, List, Optional

from ..modules.named_scalars import NamedScalar, collect_scalars
from .pretrained_size import count_tokens, format_tokens, parameters_by_part
from .reading import open_checkpoint
from .stand_in import stand_in_model
from .word_models import WORD_TASKS, describe_word_model, parts_of_word_model

#: what the names of architectures begin with; the first one stands in messages
FAMILIES = ("byte_transformer", "byte_tagger", "byte_classifier")
#: the attention that is not worth a word
ORDINARY = "softmax"
BAR_WIDTH = 40
MOST_LABELS = 8


@dataclass
class CheckpointSummary:
    """``scalars``: the numbers that the modules of the model name, if any;
    ``not_finite``: names of the parameters that hold NaN or infinity; ``labels``: those of
    a model that labels, else None; ``parts``: parameters of each part of a pre-trained
    encoder, or of a model that learns words before a task, else None; ``tokens``: a line
    about the tokens of a text, if there is one."""

    path: str
    arch: str
    num_updates: int
    num_parameters: int
    options: Dict[str, object]
    task_options: Dict[str, object]
    scalars: List[NamedScalar]
    not_finite: List[str]
    labels: Optional[List[str]] = None
    parts: Optional[Dict[str, int]] = None
    tokens: Optional[str] = None


def inspect_checkpoint(path, text=None):
    """Read a checkpoint; neither its data nor its vocabularies need to be there.

    Args:
        path (str)
        text (str, optional): a file whose tokens are counted, for a model with a
            pre-trained encoder.

    Returns:
        CheckpointSummary

    Raises:
        OSError: it cannot be read.
        RuntimeError: it is no complete checkpoint.
        ValueError: its model is not of this package, or has no pre-trained encoder to
            count the tokens of a text.
    """
    checkpoint = open_checkpoint(path)
    family = _family(checkpoint)
    model = family and stand_in_model(checkpoint, family)
    pretrained = checkpoint.task_state.get("pretrained")
    if text is not None and pretrained is None:
        raise ValueError(
            f"--text {text}: {path} has no pre-trained encoder (--encoder-type pretrained) "
            "whose tokens could be counted: drop that flag"
        )
    # A table shared by several modules is saved under each of its names.
    named = {}
    for name, tensor in checkpoint.parameters.items():
        if not _is_buffer(name):
            named.setdefault((tensor.data_ptr(), tensor.shape), (name, tensor))
    parameters = dict(named.values())
    return CheckpointSummary(
        path=path,
        arch=checkpoint.arch,
        num_updates=checkpoint.num_updates,
        num_parameters=sum(p.numel() for p in parameters.values()),
        options=_without(checkpoint.model_options, "_name"),
        task_options=_without(
            {**checkpoint.task_options, **checkpoint.task_state},
            *("source_words", "labels", "label_counts", "tfidf", "pretrained"),
            "language_model",
        ),
        scalars=collect_scalars(model) if model else [],
        not_finite=checkpoint.not_finite,
        labels=checkpoint.labels,
        parts=_parts(checkpoint, parameters, model, pretrained),
        tokens=text and format_tokens(text, count_tokens(pretrained, text)),
    )


def _family(checkpoint):
    """str: the architecture that stands for a checkpoint's; None where none can.

    Raises:
        ValueError: its model is not of this package.
    """
    if checkpoint.task in WORD_TASKS:
        return WORD_TASKS[checkpoint.task]
    family = next(filter(checkpoint.arch.startswith, FAMILIES), FAMILIES[0])
    checkpoint.require_arch(family)
    return family


def _parts(checkpoint, parameters, model, pretrained):
    if checkpoint.task in WORD_TASKS:
        return parts_of_word_model(checkpoint.task, parameters, model)
    if pretrained is None:
        return None
    return parameters_by_part(parameters, f"encoder.{model.encoder.table_name}")


def _without(options, *names):
    return {key: value for key, value in options.items() if key not in names}


def _is_buffer(name):
    return name.endswith((".version", "._float_tensor", ".fingerprint"))


def format_summary(summary):
    """A summary as lines, the numbers of its modules as bars.

    Args:
        summary (CheckpointSummary)

    Returns:
        str
    """
    if summary.task_options.get("_name") in WORD_TASKS:
        describe = describe_word_model
    else:
        describe = _two_sides if summary.labels is None else _one_side
    lines = [
        summary.path,
        f"  {summary.arch}, {summary.num_parameters:,} parameters, "
        f"{summary.num_updates:,} updates",
        *describe(summary.options, summary.task_options),
    ]
    if summary.labels is not None:
        lines.append(f"  {len(summary.labels)} labels: {_shown(summary.labels)}")
    if summary.parts is not None:
        counts = ", ".join(f"{name} {n:,}" for name, n in summary.parts.items() if n)
        kind = summary.options.get("pretrained_input")
        lines.append(f"  {f'input {kind}; ' if kind else ''}parameters: {counts}")
    if summary.tokens is not None:
        lines.append(summary.tokens)
    if summary.not_finite:
        lines.append(f"  NaN or infinity in {', '.join(summary.not_finite)}")
    sizes = [abs(s.value) for s in summary.scalars if math.isfinite(s.value)]
    largest = max(sizes, default=0) or 1.0
    for _, value, label in summary.scalars:
        share = abs(value) / largest if math.isfinite(value) else 0
        bar = "█" * round(BAR_WIDTH * share)
        lines.append(f"  {label} {value:8.4f} {bar}")
    return "\n".join(lines)


def _two_sides(options, task_options):
    """list of str: what a translation model is made of, and its units."""
    return [
        f"  embedders {options.get('encoder_embedder', 'dense')} / "
        f"{options.get('decoder_embedder', 'dense')}, "
        f"fusion {_fusions(options)}{_attentions(options)}",
        f"  units {task_options.get('source_unit', 'byte')} / "
        f"{task_options.get('target_unit', 'byte')}{_languages(task_options)}",
    ]


def _one_side(options, task_options):
    """list of str: what a model that labels is made of, and its unit."""
    return [
        f"  embedder {options['encoder_embedder']}, fusion {options['encoder_fusion']}, "
        f"layers {options['encoder_type']}{_attentions(options)}",
        f"  unit {task_options['source_unit']}",
    ]


def _shown(labels):
    more = [f"and {len(labels) - MOST_LABELS} more"] if len(labels) > MOST_LABELS else []
    return ", ".join([*labels[:MOST_LABELS], *more])


def _fusions(options):
    encoder = options.get("encoder_fusion", "none")
    decoder = options.get("decoder_fusion") or "none"
    return encoder if decoder == "none" else f"{encoder} / {decoder}"


def _attentions(options):
    """str: which attentions are not the ordinary one, if any."""
    found = {
        where: options.get(f"{where}_attention", ORDINARY)
        for where in ("encoder", "decoder", "cross")
    }
    shown = [f"{where} {name}" for where, name in found.items() if name != ORDINARY]
    return f", attention {', '.join(shown)}" if shown else ""


def _languages(task_options):
    source, target = task_options.get("source_lang"), task_options.get("target_lang")
    if source is None or target is None:  # an older checkpoint does not say
        return ""
    tags = [f", {s} tags" for s in ("source", "target") if task_options.get(f"{s}_tags")]
    return f", {source} into {target}{''.join(tags)}"
