"""What came out of labelling a file: scores, of each label too, and what was confused."""

from collections import Counter
from dataclasses import dataclass
from typing import Dict, List, Optional

import numpy as np
import torch

from .labelling_scores import count_labels, scores_by_label, scores_from_confusion
from .spans import is_bio, span_counts, span_scores

#: the name of the row of labels that training lacks
OTHERS = "(not in training)"
_WIDEST_MATRIX = 12
_MOST_CONFUSIONS = 20
_AVERAGES = ("macro", "micro", "weighted")
_COLUMNS = ("precision", "recall", "f1")


@dataclass(frozen=True)
class LabellingReport:
    """Scores are in percent; L labels are those that the model knows."""

    labels: List[str]
    #: Long[L + 1, L], see :func:`~.labelling_scores.count_labels`
    confusion: torch.Tensor
    #: see :func:`~.labelling_scores.scores_from_confusion`
    scores: Dict[str, float]
    #: of BIO labels, see :func:`~.spans.span_scores`
    spans: Optional[Dict[str, float]]
    #: gold labels that training lacks, and how often there is each
    unknown: Dict[str, int]

    @property
    def total(self):
        """int: how many labels there are."""
        return int(self.confusion.sum())

    def by_label(self):
        """dict of str to dict: scores of each label that is gold or predicted."""
        found = scores_by_label(self.confusion)
        return {
            label: {name: values[i].item() for name, values in found.items()}
            for i, label in enumerate([*self.labels, OTHERS])
            if found["support"][i] or found["predicted"][i]
        }

    def as_dict(self):
        """dict: all of it, of plain numbers, for JSON."""
        spans = {} if self.spans is None else self.spans
        return {
            "total": self.total,
            **self.scores,
            **spans,
            "labels": self.by_label(),
            "not_in_training": self.unknown,
            "confusion": {
                "gold": [*self.labels, OTHERS],
                "predicted": list(self.labels),
                "counts": self.confusion.tolist(),
            },
        }


def report_labels(gold, predicted, labels):
    """Compare labels.

    Args:
        gold, predicted (list of list of str): as many, sentence by sentence.
        labels (list of str): what the model knows; gold ones may be others, which count
            as wrong.

    Returns:
        LabellingReport

    Raises:
        ValueError: a sentence with another number of labels, or no label at all.
    """
    pairs = [(g, p) for g, p in zip(gold, predicted) if len(g) == len(p)]
    if not len(pairs) == len(gold) == len(predicted):
        raise ValueError("there must be as many predicted labels as gold ones")
    if not any(gold):
        raise ValueError("there is no label to compare with")
    ids = {label: i for i, label in enumerate(labels)}
    flat_gold = [label for row in gold for label in row]
    rows = [ids.get(label, len(labels)) for label in flat_gold]
    columns = [ids[label] for row in predicted for label in row]
    confusion = count_labels(torch.tensor(rows), torch.tensor(columns), len(labels))
    spans = None
    if is_bio(labels):
        counts = np.array([span_counts(g, p) for g, p in pairs]).sum(0)
        spans = {name: float(v) for name, v in span_scores(counts).items()}
    unknown = Counter(label for label in flat_gold if label not in ids)
    scores = scores_from_confusion(confusion)
    return LabellingReport(list(labels), confusion, scores, spans, dict(unknown))


def format_report(report):
    """A :class:`LabellingReport` as lines for a terminal: str."""
    blocks = [_format_labels(report), _format_scores(report), _format_confusion(report)]
    return "\n\n".join(blocks)


def _format_labels(report):
    rows = report.by_label()
    width = max(len("label"), len("weighted"), *map(len, rows))
    lines = [f"{'label':<{width}}  precision  recall      f1    gold  predicted"]
    for label, row in rows.items():
        numbers = f"{row['support']:>8}{row['predicted']:>11}"
        lines.append(f"{label:<{width}}{_format_row(row, _COLUMNS)}{numbers}")
    for average in _AVERAGES:
        columns = [f"{average}_{name}" for name in _COLUMNS]
        lines.append(f"{average:<{width}}{_format_row(report.scores, columns)}")
    return "\n".join(lines)


def _format_row(row, columns):
    return "".join(f"{row[name]:>{size}.2f}" for name, size in zip(columns, (11, 8, 8)))


def _format_scores(report):
    lines = [f"accuracy {report.scores['accuracy']:.2f} of {report.total}"]
    if report.spans is not None:
        precision, recall, f1 = report.spans.values()
        lines.append(
            f"spans: precision {precision:.2f}, recall {recall:.2f}, F1 {f1:.2f} (by the "
            "rules of conlleval)"
        )
    if report.unknown:
        listed = ", ".join(f"{label} ({n})" for label, n in report.unknown.items())
        lines.append(f"labels that training lacks, counted as wrong: {listed}")
    return "\n".join(lines)


def _format_confusion(report):
    names = [*report.labels, OTHERS]
    counts = report.confusion.tolist()
    if len(report.labels) <= _WIDEST_MATRIX:
        return _format_matrix(names, counts)
    wrong = [
        (-count, names[i], names[k])
        for i, row in enumerate(counts)
        for k, count in enumerate(row)
        if count and i != k
    ]
    lines = [f"{-n:>6}  {gold} taken for {p}" for n, gold, p in sorted(wrong)]
    if len(lines) > _MOST_CONFUSIONS:
        left = len(lines) - _MOST_CONFUSIONS
        lines = [*lines[:_MOST_CONFUSIONS], f"and {left} other confusions (--json has all)"]
    return "\n".join(["confused most often:", *(lines or ["nothing"])])


def _format_matrix(names, counts):
    if not any(counts[-1]):
        counts = counts[:-1]
    columns = names[:-1]
    corner = "gold \\ predicted"
    width = max(len(corner), *map(len, names))
    sizes = [max(len(name), 6) for name in columns]
    head = "".join(f"  {name:>{size}}" for name, size in zip(columns, sizes))
    lines = [f"{corner:<{width}}{head}"]
    for name, row in zip(names, counts):
        cells = "".join(f"  {n:>{size}}" for n, size in zip(row, sizes))
        lines.append(f"{name:<{width}}{cells}")
    return "\n".join(lines)
