"""Which rows of a table lie nearest to a vector, and how well a ranking finds them.

Nearness is the cosine. Nothing here holds a table's rows against all its rows at once.
"""

import torch
import torch.nn.functional as F

# Cosines computed at a time: 64 MiB of them.
_CHUNK = 2**24


def nearest_rows(table, vectors, count, exclude=None):
    """The rows nearest to each vector, nearest first.

    Args:
        table (Float[V, D])
        vectors (Float[U, D])
        count (int): k.
        exclude (Long[U], optional): a row for each vector that is not to be found,
            whether or not another one equals it.

    Returns:
        tuple: cosines Float[U, k] and rows Long[U, k].

    Raises:
        ValueError: fewer than k rows can be found.
    """
    available = len(table) - (exclude is not None)
    if not 1 <= count <= available:
        raise ValueError(f"{count} nearest of {available} rows cannot be found")
    norms = _norms(table)
    found = []
    for start in range(0, len(vectors), max(1, _CHUNK // len(table))):
        chunk = slice(start, start + max(1, _CHUNK // len(table)))
        similarity = _cosines(vectors[chunk], table, norms)
        if exclude is not None:
            similarity.scatter_(1, exclude[chunk].unsqueeze(1), float("-inf"))
        found.append(similarity.topk(count))
    if not found:
        return vectors.new_zeros(0, count), torch.zeros(0, count, dtype=torch.long)
    return torch.cat([f.values for f in found]), torch.cat([f.indices for f in found])


def ranking_quality(table, vectors, relevant):
    """How well the ranking of all rows by nearness to a vector finds its relevant ones.

    Args:
        table (Float[V, D])
        vectors (Float[U, D])
        relevant (Long[U, k]): different rows, the most relevant first.

    Returns:
        dict of str to Float[U]:

        - ``precision@1``: 1 where the nearest row is the most relevant;
        - ``precision@k``: the share of the k nearest rows that is relevant;
        - ``average_precision``: the mean, over the relevant rows, of the precision of
          the ranking cut off at that row.
    """
    count = relevant.shape[1]
    norms = _norms(table)
    step = max(1, _CHUNK // len(table))
    places = torch.cat(
        [
            _places(_cosines(v, table, norms), rows)
            for v, rows in zip(vectors.split(step), relevant.split(step))
        ]
    )
    hits = torch.arange(1, count + 1, device=places.device)
    return {
        "precision@1": places[:, 0].eq(1).float(),
        f"precision@{count}": places.le(count).float().mean(1),
        "average_precision": (hits / places.sort(1).values).mean(1),
    }


def _places(similarity, relevant):
    """Long[U, k]: where ``relevant`` (Long[U, k]) come in each ranking, from 1. Equal
    ones come in the order of the rows."""
    own = similarity.gather(1, relevant)
    rows = torch.arange(similarity.shape[1], device=similarity.device)
    places = [
        (similarity > s).sum(1) + ((similarity == s) & (rows <= r)).sum(1)
        for s, r in zip(own.T.unsqueeze(2), relevant.T.unsqueeze(2))
    ]
    return torch.stack(places, 1)


def _norms(table):
    return torch.linalg.vector_norm(table, dim=1).clamp(min=1e-12)


def _cosines(vectors, table, norms):
    """Float[U, V], without a normalised copy of the table."""
    return (F.normalize(vectors, dim=1) @ table.T).div_(norms)
