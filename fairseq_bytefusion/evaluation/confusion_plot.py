"""What was confused with what, as a picture."""

import io

import numpy as np

from .labelling_report import OTHERS


def confusion_image(report, image_format):
    """Draw the confusion matrix: of each gold label, which share was taken for which.

    Labels that are neither gold nor predicted are left out.

    Args:
        report (LabellingReport)
        image_format (str): ``png``, ``svg`` ...; that of matplotlib where it is empty.

    Returns:
        bytes

    Raises:
        ValueError: an unknown format.
    """
    # Here, because no other command draws: it takes half a second.
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    counts = report.confusion.numpy()
    rows, columns = np.flatnonzero(counts.sum(1)), np.flatnonzero(counts.sum(0))
    names = [*report.labels, OTHERS]
    shares = counts[rows][:, columns] / counts[rows].sum(1, keepdims=True)
    height, width = (2 + 0.22 * len(indices) for indices in (rows, columns))
    figure, axes = pyplot.subplots(figsize=(width + 1, height), layout="constrained")
    image = axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    axes.set_xticks(range(len(columns)), [names[k] for k in columns], rotation=90)
    axes.set_yticks(range(len(rows)), [names[i] for i in rows])
    axes.tick_params(labelsize=7)
    axes.set_xlabel("predicted")
    axes.set_ylabel("gold")
    figure.colorbar(image, label="share of the gold label", shrink=0.8)
    picture = io.BytesIO()
    figure.savefig(picture, dpi=150, format=image_format or None)
    pyplot.close(figure)
    return picture.getvalue()
