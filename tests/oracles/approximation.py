"""Aguilar et al. 2021, section 3.1, an entry at a time; metrics from their definitions."""

import math


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def norm(a):
    return math.sqrt(dot(a, a))


def cosine(a, b):
    return dot(a, b) / (norm(a) * norm(b))


def ranked(table, vector, exclude=None):
    """Rows from the nearest to the farthest."""
    rows = [row for row in range(len(table)) if row != exclude]
    return sorted(rows, key=lambda row: -cosine(table[row], vector))


def cross_entropy(vector, table, row):
    logits = [dot(vector, e) for e in table]
    return math.log(sum(math.exp(z) for z in logits)) - logits[row]


def neighbour_loss(vector, table, row, k):
    near = ranked(table, table[row], exclude=row)[:k]
    differences = [
        (1 - cosine(table[n], table[row])) - (1 - cosine(table[n], vector)) for n in near
    ]
    return sum(d * d for d in differences) / k


def terms(vector, table, row, k):
    """dict of the four terms of the loss."""
    difference = [x - y for x, y in zip(table[row], vector)]
    return {
        "ce": cross_entropy(vector, table, row),
        "cos": 1 - cosine(table[row], vector),
        "l2": norm(difference),
        "nbr": neighbour_loss(vector, table, row, k),
    }


def precision_at(j, ranking, relevant):
    """How many of the first j rows of the ranking are among the j most relevant ones."""
    return len(set(ranking[:j]) & set(relevant[:j])) / j


def quality(vector, table, relevant):
    """precision@1, precision@k, the mean of precision@1 to precision@k, and average
    precision, of the ranking of all rows."""
    k, ranking = len(relevant), ranked(table, vector)
    precisions, hits = [], 0
    for place, row in enumerate(ranking, start=1):
        if row in relevant:
            hits += 1
            precisions.append(hits / place)
    return {
        "precision@1": float(ranking[0] == relevant[0]),
        f"precision@{k}": len(set(ranking[:k]) & set(relevant)) / k,
        "mean_precision": sum(precision_at(j, ranking, relevant) for j in range(1, k + 1))
        / k,
        "average_precision": sum(precisions) / k,
    }
