"""Highway layers."""

import torch.nn as nn
import torch.nn.functional as F


class Highway(nn.Module):
    """``y = t * relu(W x + b) + (1 - t) * x`` with ``t = sigmoid(W_T x + b_T)``, repeated.

    ``W`` and ``W_T`` are the upper and the lower half of one matrix. At a bias of -2
    a layer starts by carrying 88% of its input.

    Args:
        dim (int): D.
        layers (int)
        gate_bias (float): initial ``b_T``.

    Source: Srivastava et al. 2015, *Training Very Deep Networks*, equation 3; Kim et al.
    2015, equation 8.
    """

    def __init__(self, dim, layers=2, gate_bias=-2.0):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(dim, 2 * dim) for _ in range(layers))
        for layer in self.layers:
            nn.init.xavier_normal_(layer.weight)
            nn.init.zeros_(layer.bias[:dim])
            nn.init.constant_(layer.bias[dim:], gate_bias)

    def forward(self, x):
        """
        Args:
            x (Float[..., D])

        Returns:
            Float[..., D]
        """
        for layer in self.layers:
            transformed, gate = layer(x).chunk(2, -1)
            gate = gate.sigmoid()
            x = gate * F.relu(transformed) + (1 - gate) * x
        return x
