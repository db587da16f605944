"""Gates: how much each of two branches of attention counts."""

import torch
import torch.nn as nn


class ScalarGate(nn.Module):
    """Two learned numbers, whatever the token.

    Args:
        dim (int): D.
    """

    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2))

    def forward(self, query, first, second):
        """
        Args:
            query (Float[..., D])
            first, second (Float[..., D]): what the branches return.

        Returns:
            Float, broadcastable to [..., 2]: a softmax makes weights of them.
        """
        return self.weight

    def numbers(self):
        """dict of str to float: the weight of the second branch."""
        return {"gate_outer": self.weight.softmax(0)[1].item()}


class TokenGate(nn.Module):
    """A linear map of the query's state.

    Args:
        dim (int): D.
    """

    def __init__(self, dim):
        super().__init__()
        self.map = nn.Linear(dim, 2)
        nn.init.xavier_uniform_(self.map.weight)
        nn.init.zeros_(self.map.bias)

    def forward(self, query, first, second):
        """As :meth:`ScalarGate.forward`: Float[..., 2]."""
        return self.map(query)

    def numbers(self):
        """dict of str to float: the weight of the second branch where the state is 0."""
        return {"gate_outer": self.map.bias.softmax(0)[1].item()}


class TokenSigmoidGate(nn.Module):
    """sigmoid(w1 · first) and sigmoid(w2 · second): weights of 0.27 to 0.73.

    Args:
        dim (int): D.
    """

    def __init__(self, dim):
        super().__init__()
        self.of_first = nn.Linear(dim, 1, bias=False)
        self.of_second = nn.Linear(dim, 1, bias=False)

    def forward(self, query, first, second):
        """As :meth:`ScalarGate.forward`: Float[..., 2]."""
        return torch.cat([self.of_first(first), self.of_second(second)], -1).sigmoid()

    def numbers(self):
        """dict of str to float: the lengths of w1 and w2, without which the gate is 1/2."""
        return {
            "gate_self_norm": self.of_first.weight.norm().item(),
            "gate_outer_norm": self.of_second.weight.norm().item(),
        }


GATES = {"scalar": ScalarGate, "token": TokenGate, "token-sigmoid": TokenSigmoidGate}
