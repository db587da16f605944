"""The n-gram weights of checkpoints as a picture."""

import io
import os

from ..modules.fusion.ngram_conv import LAMBDA
from .publishing import publishing


def plot_ngram_weights(summaries, path):
    """Draw the n-gram weights: bars for one checkpoint, lines over updates for several.

    Args:
        summaries (list of CheckpointSummary)
        path (str): an image file; its ending names the format.

    Raises:
        OSError: ``path`` cannot be written.
        ValueError: a checkpoint without n-gram weights or with other window sizes than
            the first, or an unknown format.
    """
    # Here, because no other command draws: it takes half a second.
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    weights = [_ngram_weights(summary) for summary in summaries]
    for summary, own in zip(summaries, weights):
        if not own:
            raise ValueError(f"{summary.path} has no n-gram weights: its fusion is not ncf")
        if own.keys() != weights[0].keys():
            raise ValueError(
                f"{summary.path} has other window sizes than {summaries[0].path}: plot "
                "them apart"
            )
    figure, axes = pyplot.subplots(figsize=(5, 3.2), layout="constrained")
    if len(summaries) == 1:
        _draw_bars(axes, weights[0])
    else:
        _draw_lines(axes, [summary.num_updates for summary in summaries], weights)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_ylabel("weight λ of the n-grams")
    axes.spines[["top", "right"]].set_visible(False)
    image = io.BytesIO()
    figure.savefig(image, dpi=150, format=os.path.splitext(path)[1][1:] or None)
    pyplot.close(figure)
    with publishing(path) as file:
        file.write(image.getvalue())


def _ngram_weights(summary):
    """dict of int to float: the weight of each window size; empty without ncf."""
    return {
        int(scalar.name[len(LAMBDA) :]): scalar.value
        for scalar in summary.scalars
        if scalar.name.startswith(LAMBDA)
    }


def _draw_bars(axes, weights):
    axes.bar(list(weights), list(weights.values()), color="#3b6ea5")
    axes.set_xticks(list(weights))
    axes.set_xlabel("window size n")


def _draw_lines(axes, updates, weights):
    order = sorted(range(len(updates)), key=updates.__getitem__)
    for n in weights[0]:
        heights = [weights[i][n] for i in order]
        axes.plot([updates[i] for i in order], heights, marker="o", label=f"n = {n}")
    axes.set_xlabel("updates")
    axes.legend(frameon=False)
