"""Which rows of a table lie nearest to a vector, and how well a ranking finds them.

Nearness is the cosine. Nothing here holds a table's rows against all its rows at once.
"""

import itertools

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
    step = max(1, _CHUNK // len(table))
    excluded = itertools.repeat(None) if exclude is None else exclude.split(step)
    found = []
    for chunk, out in zip(vectors.split(step), excluded):
        similarity = _cosines(chunk, table, norms)
        if out is not None:
            similarity.scatter_(1, out.unsqueeze(1), float("-inf"))
        found.append(similarity.topk(count))
    return torch.cat([f.values for f in found]), torch.cat([f.indices for f in found])


def ranking_quality(similarity, relevant):
    """How well a ranking of all rows finds the relevant ones.

    Args:
        similarity (Float[U, V]): of a vector to every row.
        relevant (Long[U, k]): different rows, the most relevant first.

    Returns:
        dict of str to Float[U]:

        - ``precision@1``: 1 where the most similar row is the most relevant;
        - ``precision@k``: the share of the k most similar rows that is relevant;
        - ``mean_precision``: the mean of precision@j over j = 1..k, where the j most
          relevant rows are those that count;
        - ``average_precision``: that of information retrieval, the mean, over the
          relevant rows, of the precision of the ranking cut off at that row.

        Of equally similar rows each comes last.

    Source: Aguilar et al. 2021, *Char2Subword*, table 2. What it calls average precision
    lies between precision@1 and precision@15 in each of its rows, as ``mean_precision``
    does and ``average_precision`` need not.
    """
    count = relevant.shape[1]
    step = max(1, _CHUNK // (2 * similarity.shape[1]))
    places = torch.cat(
        [_places(*chunk) for chunk in zip(similarity.split(step), relevant.split(step))]
    )
    hits = torch.arange(1, count + 1, device=places.device)
    precisions = _hits_within(torch.maximum(places, hits)) / hits
    return {
        "precision@1": precisions[:, 0],
        f"precision@{count}": precisions[:, -1],
        "mean_precision": precisions.mean(1),
        "average_precision": (hits / places.sort(1).values).mean(1),
    }


def _hits_within(bounds):
    """Float[U, k]: how many of ``bounds`` (Long[U, k], from 1) are at most 1, 2 ... k."""
    rows, count = bounds.shape
    # Those above k lie together in one place more.
    found = torch.zeros(rows, count + 1, device=bounds.device)
    found.scatter_add_(1, bounds.clamp(max=count + 1) - 1, torch.ones_like(bounds).float())
    return found[:, :count].cumsum(1)


def _places(similarity, relevant):
    """Long[U, k]: where ``relevant`` (Long[U, k]) come in each ranking, from 1."""
    levels, order = similarity.gather(1, relevant).sort(1)
    # How many of the relevant ones each row reaches; then how many rows reach each.
    reached = torch.searchsorted(levels, similarity, right=True)
    counts = torch.zeros(len(levels), levels.shape[1] + 1, device=levels.device)
    counts.scatter_add_(1, reached, torch.ones_like(similarity).float())
    reaching = counts.flip(1).cumsum(1).flip(1)[:, 1:].long()
    return torch.zeros_like(order).scatter(1, order, reaching)


def cosine_ranking(products, table):
    """Products with the rows of a table as multiples of cosines, which rank alike.

    Args:
        products (Float[U, V]): ``ê Eᵀ``.
        table (Float[V, D]): E.

    Returns:
        Float[U, V]
    """
    return products / _norms(table)


def _norms(table):
    return torch.linalg.vector_norm(table, dim=1).clamp(min=1e-6)


def _cosines(vectors, table, norms):
    """Float[U, V], without a normalised copy of the table."""
    return (F.normalize(vectors, dim=1) @ table.T).div_(norms)
