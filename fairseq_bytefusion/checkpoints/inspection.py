"""What a checkpoint says of itself: its options, its size, its n-gram weights."""

from dataclasses import dataclass
from typing import Dict

import torch
from fairseq import checkpoint_utils

WEIGHTS = "encoder.fusion.weights"
BAR_WIDTH = 40


@dataclass
class CheckpointSummary:
    """``ngram_weights`` has a weight a window size of ncf; empty without ncf."""

    path: str
    arch: str
    num_updates: int
    num_parameters: int
    options: Dict[str, object]
    task_options: Dict[str, object]
    ngram_weights: Dict[int, float]


def inspect_checkpoint(path):
    """Read a checkpoint without building its model.

    Args:
        path (str)

    Returns:
        CheckpointSummary

    Raises:
        OSError: it cannot be read.
        RuntimeError: it is no complete checkpoint.
        ValueError: its model is not of this package.
    """
    state = checkpoint_utils.load_checkpoint_to_cpu(path)
    options = dict(state["cfg"]["model"])
    arch = str(options.pop("_name"))
    if not arch.startswith("byte_transformer"):
        raise ValueError(f"{path} holds a {arch}, not a byte_transformer")
    history = state.get("optimizer_history") or [{}]
    # A table shared by several modules is saved under each of its names.
    parameters = {
        (tensor.data_ptr(), tensor.shape): tensor
        for name, tensor in state["model"].items()
        if not _is_buffer(name)
    }
    return CheckpointSummary(
        path=path,
        arch=arch,
        num_updates=history[-1].get("num_updates", 0),
        num_parameters=sum(p.numel() for p in parameters.values()),
        options=options,
        task_options={**state["cfg"]["task"], **state.get("task_state", {})},
        ngram_weights=_ngram_weights(state["model"], options),
    )


def _is_buffer(name):
    return name.endswith((".version", "._float_tensor", ".fingerprint"))


def _ngram_weights(parameters, options):
    if WEIGHTS not in parameters:
        return {}
    weights = parameters[WEIGHTS].float()
    if options["ncf_weights"] == "softmax":
        weights = torch.softmax(weights, 0)
    kernels = map(int, options["ncf_kernels"].split(","))
    return dict(zip(kernels, weights.tolist()))


def format_summary(summary):
    """A summary as lines, the n-gram weights as bars.

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
        f"fusion {options.get('encoder_fusion', 'none')}",
        f"  units {task_options.get('source_unit', 'byte')} / "
        f"{task_options.get('target_unit', 'byte')}{_languages(task_options)}",
    ]
    largest = max(map(abs, summary.ngram_weights.values()), default=0) or 1.0
    for n, weight in summary.ngram_weights.items():
        bar = "█" * round(BAR_WIDTH * abs(weight) / largest)
        lines.append(f"  lambda of {n}-grams {weight:8.4f} {bar}")
    return "\n".join(lines)


def _languages(task_options):
    source, target = task_options.get("source_lang"), task_options.get("target_lang")
    if source is None or target is None:  # an older checkpoint does not say
        return ""
    tags = ", source tags" if task_options.get("source_tags") else ""
    return f", {source} into {target}{tags}"


def plot_ngram_weights(summaries, path):
    """Draw the n-gram weights: bars for one checkpoint, lines over updates for several.

    Args:
        summaries (list of CheckpointSummary)
        path (str): an image file; its ending names the format.

    Raises:
        ValueError: a checkpoint without n-gram weights or with other window sizes than
            the first, or an unknown format.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    for summary in summaries:
        if not summary.ngram_weights:
            raise ValueError(f"{summary.path} has no n-gram weights: its fusion is not ncf")
        if summary.ngram_weights.keys() != summaries[0].ngram_weights.keys():
            raise ValueError(
                f"{summary.path} has other window sizes than {summaries[0].path}: plot "
                "them apart"
            )
    figure, axes = pyplot.subplots(figsize=(5, 3.2), layout="constrained")
    first = summaries[0].ngram_weights
    if len(summaries) == 1:
        axes.bar(list(first), list(first.values()), color="#3b6ea5")
        axes.set_xticks(list(first))
        axes.set_xlabel("window size n")
    else:
        summaries = sorted(summaries, key=lambda summary: summary.num_updates)
        updates = [summary.num_updates for summary in summaries]
        for n in first:
            weights = [summary.ngram_weights[n] for summary in summaries]
            axes.plot(updates, weights, marker="o", label=f"n = {n}")
        axes.set_xlabel("updates")
        axes.legend(frameon=False)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_ylabel("weight λ of the n-grams")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
