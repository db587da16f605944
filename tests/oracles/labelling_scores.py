"""Precision, recall and F1 of labels, a decision at a time."""


def scores(gold, predicted):
    """Percentages of two lists of labels, by name."""
    labels = sorted({*gold, *predicted})
    pairs = list(zip(gold, predicted))
    right = sum(g == p for g, p in pairs)
    rows = []
    for label in labels:
        hits = sum(g == p == label for g, p in pairs)
        precision = hits / predicted.count(label) if label in predicted else 0
        recall = hits / gold.count(label) if label in gold else 0
        f1 = 2 * precision * recall / (precision + recall) if hits else 0
        rows.append((gold.count(label), precision, recall, f1))
    found = {"accuracy": 100 * right / len(gold)}
    for k, name in enumerate(("precision", "recall", "f1"), start=1):
        found[f"macro_{name}"] = 100 * sum(row[k] for row in rows) / len(rows)
        found[f"micro_{name}"] = 100 * right / len(gold)
        found[f"weighted_{name}"] = 100 * sum(row[0] * row[k] for row in rows) / len(gold)
    return found
