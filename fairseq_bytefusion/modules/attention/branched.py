"""Attention with several branches."""

import torch.nn as nn


class BranchedAttention(nn.Module):
    """Several branches see the same keys; their outputs are combined.

    A subclass says how, in :meth:`combine`. It stands wherever a single branch does: its
    ``forward`` takes and returns the same, in every geometry.

    Args:
        branches (iterable of Branch): all of one width D.
    """

    def __init__(self, branches):
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, query, memory, geometry, need_weights=False):
        """As :meth:`Branch.forward`; the weights are those of the first branch that has
        any."""
        found = [
            branch(query, memory, geometry.of_branch(index), need_weights)
            for index, branch in enumerate(self.branches)
        ]
        weights = next((w for _, w in found if w is not None), None)
        return self.combine(query, [output for output, _ in found]), weights

    def combine(self, query, outputs):
        """
        Args:
            query (Float[..., D])
            outputs (list of Float[..., D]): one a branch, after its output projection.

        Returns:
            Float[..., D]
        """
        raise NotImplementedError
