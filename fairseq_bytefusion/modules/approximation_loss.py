"""How far a composed vector is from the row of a table that it stands for."""

import torch
import torch.nn.functional as F


def cross_entropy(vectors, table, rows, neighbours):
    """``-log softmax(ê Eᵀ)[y]``: the row must be told from all others."""
    return F.cross_entropy((vectors @ table.T).float(), rows, reduction="none")


def cosine_distance(vectors, table, rows, neighbours):
    """``1 - cos(e, ê)``."""
    return 1 - F.cosine_similarity(vectors.float(), table[rows].float())


def euclidean_distance(vectors, table, rows, neighbours):
    """``||e - ê||_2``."""
    return torch.linalg.vector_norm(vectors.float() - table[rows].float(), dim=1)


def neighbour_loss(vectors, table, rows, neighbours):
    """``mean_n (d(n, e) - d(n, ê))²`` over the rows n nearest to e, d = 1 - cos."""
    near = F.normalize(table[neighbours].float(), dim=2)
    own, composed = (F.normalize(v.float(), dim=1) for v in (table[rows], vectors))
    difference = torch.einsum("ukd,ud->uk", near, own - composed)
    return difference.square().mean(1)


#: name -> term(vectors Float[U, D], table Float[V, D], rows Long[U], neighbours
#: Long[U, k]) -> Float[U]. Aguilar et al. 2021, *Char2Subword*, section 3.1.
TERMS = {
    "ce": cross_entropy,
    "cos": cosine_distance,
    "l2": euclidean_distance,
    "nbr": neighbour_loss,
}
