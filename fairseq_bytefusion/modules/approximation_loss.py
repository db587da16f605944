"""How far a composed vector is from the row of a table that it stands for."""

import functools
from dataclasses import dataclass

import torch
import torch.nn.functional as F


@dataclass
class Comparison:
    """Composed vectors beside the rows they stand for.

    Attributes:
        vectors (Float[U, D]): composed, ê.
        table (Float[V, D]): E.
        rows (Long[U]): the row y of each vector, e = E[y].
        neighbours (Long[U, k], optional): the rows nearest to e, itself left out.
    """

    vectors: torch.Tensor
    table: torch.Tensor
    rows: torch.Tensor
    neighbours: torch.Tensor = None

    @functools.cached_property
    def logits(self):
        """Float[U, V]: ``ê Eᵀ``."""
        return (self.vectors @ self.table.T).float()

    @functools.cached_property
    def targets(self):
        """Float[U, D]: e."""
        return self.table[self.rows].float()


def cross_entropy(comparison):
    """``-log softmax(ê Eᵀ)[y]``: the row must be told from all others."""
    return F.cross_entropy(comparison.logits, comparison.rows, reduction="none")


def cosine_distance(comparison):
    """``1 - cos(e, ê)``."""
    return 1 - F.cosine_similarity(comparison.vectors.float(), comparison.targets)


def euclidean_distance(comparison):
    """``||e - ê||_2``."""
    difference = comparison.vectors.float() - comparison.targets
    return torch.linalg.vector_norm(difference, dim=1)


def neighbour_loss(comparison):
    """``mean_n (d(n, e) - d(n, ê))²`` over the rows n nearest to e, d = 1 - cos."""
    near = F.normalize(comparison.table[comparison.neighbours].float(), dim=2)
    own = F.normalize(comparison.targets, dim=1)
    composed = F.normalize(comparison.vectors.float(), dim=1)
    return torch.einsum("ukd,ud->uk", near, own - composed).square().mean(1)


#: name -> term(Comparison) -> Float[U]. Aguilar et al. 2021, *Char2Subword*, section 3.1.
TERMS = {
    "ce": cross_entropy,
    "cos": cosine_distance,
    "l2": euclidean_distance,
    "nbr": neighbour_loss,
}
