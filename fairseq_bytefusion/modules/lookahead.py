"""Heads that look ahead: what is written after the next symbol."""

import torch.nn as nn
import torch.nn.functional as F


class LookaheadHeads(nn.Module):
    """K states for the K symbols behind the next one, of the state for that.

    Head j makes h + SiLU(W_j h + b_j) of a decoder's last state h, which the model's own
    output projection turns into logits. They start as the state itself (W and b 0).

    Args:
        dim (int): D.
        num_heads (int): K.

    Source: Stern et al. 2018, *Blockwise Parallel Decoding*, section 4; Cai et al. 2024,
    *Medusa*, section 2.1, for the residual, SiLU and start.
    """

    def __init__(self, dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.proj = nn.Linear(dim, num_heads * dim)
        nn.init.zeros_(self.proj.weight)
        nn.init.zeros_(self.proj.bias)

    def forward(self, states):
        """
        Args:
            states (Float[..., D])

        Returns:
            Float[..., K, D]
        """
        ahead = F.silu(self.proj(states)).unflatten(-1, (self.num_heads, -1))
        return states.unsqueeze(-2) + ahead

    def upgrade_state_dict_named(self, state_dict, name):
        """Called by fairseq before it loads ``state_dict``: a model that was trained
        without them gets new ones."""
        for key, value in self.state_dict().items():
            state_dict.setdefault(f"{name}.{key}", value)
