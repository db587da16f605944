"""A weighted sum of the layers of a language model."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ScalarMix(nn.Module):
    """``v_k = gamma sum_j softmax(s)_j h_kj``, with learned s and gamma.

    At the start all layers weigh alike and gamma is 1.

    Args:
        num_layers (int): J, those to mix.
        layer_norm (bool): normalise each ``h_kj`` to mean 0 and variance 1 first.

    Source: Peters et al. 2018, *Deep contextualized word representations*, equation 1.
    """

    def __init__(self, num_layers, layer_norm=False):
        super().__init__()
        self.layer_norm = layer_norm
        self.scores = nn.Parameter(torch.zeros(num_layers))
        self.gamma = nn.Parameter(torch.ones(1))

    def forward(self, layers):
        """
        Args:
            layers (sequence of Float[..., D]): J of them.

        Returns:
            Float[..., D]

        Raises:
            ValueError: not J layers.
        """
        if len(layers) != len(self.scores):
            raise ValueError(f"{len(self.scores)} layers to mix, not {len(layers)}")
        if self.layer_norm:
            layers = [F.layer_norm(layer, layer.shape[-1:]) for layer in layers]
        mixed = sum(w * layer for w, layer in zip(self.scores.softmax(0), layers))
        return self.gamma * mixed

    def named_scalars(self):
        """dict of str to float: the weight of each layer, and gamma."""
        weights = self.scores.softmax(0).tolist()
        numbers = {f"elmo_weight_{j}": weight for j, weight in enumerate(weights)}
        return {**numbers, "elmo_gamma": self.gamma.item()}

    @staticmethod
    def scalar_label(name):
        """What a person calls the number ``name`` (str)."""
        if name == "elmo_gamma":
            return "gamma of the layers' sum"
        return f"weight of layer {name.rpartition('_')[2]}"

    def extra_repr(self):
        return f"{len(self.scores)}, layer_norm={self.layer_norm}"
