"""msc: multi-scale contextualisation."""

from itertools import groupby

import torch
import torch.nn as nn
import torch.nn.functional as F

from .kernel_list import parse_sizes


class MultiScaleContext(nn.Module):
    """Convolutions of several sizes, each over dimensions of its own.

    The D dimensions are cut into as many equal groups as there are kernels. A group passes
    a 1-D convolution over neighbouring states, which keeps the length; kernel 0 leaves it
    as it is::

        dimensions    | 0 | 0 | 1 | 1 | 3 | 3 | 5 | 5 |
        sees            -   -   x   x  axb axb abxcd abxcd     centred
                        -   -   x   x  abx abx abcdx abcdx     causal

    It stands before the self-attention of a layer, which makes queries, keys and values of
    its output; the layer's residual passes it by. Which states are neighbours is the
    geometry's to say, as in attention: padding counts as zeros, and in a search a state has
    those of its hypothesis before it.

    Args:
        dim (int): D, a multiple of the number of kernels.
        kernels (sequence of int): 0 or an odd number for each group.
        causal (bool): see the past only, as a decoder must.

    Raises:
        ValueError: no kernels, an even or negative one, all 0, or more than divide D.

    Source: Huang & Feng 2024, *Integrating Multi-scale Contextualized Information for
    Byte-based Neural Machine Translation*, section 3.
    """

    place = "within"
    needs_symbols = False

    def __init__(self, dim, kernels=(0, 0, 1, 1, 3, 3, 5, 5), causal=False):
        super().__init__()
        check_kernels(kernels, dim)
        self.causal = causal
        self.kernels = list(kernels)
        width = dim // len(kernels)
        runs = [(kernel, len(list(run))) for kernel, run in groupby(kernels)]
        # Neighbouring groups of one kernel size are one convolution: fewer, larger steps.
        self.runs = [(kernel, count * width) for kernel, count in runs]
        self.convs = nn.ModuleList(
            nn.Conv1d(count * width, count * width, kernel, groups=count)
            for kernel, count in runs
            if kernel
        )

    @classmethod
    def build(cls, options, dim, causal=False):
        """From ``msc_kernels``."""
        return cls(dim, parse_kernels(options.msc_kernels, dim), causal)

    @staticmethod
    def default_layers(num_layers):
        """int: how many of the layers have one, unless told otherwise: all."""
        return num_layers

    def forward(self, x, geometry):
        """
        Args:
            x (Float[..., D]): states as the geometry has them.
            geometry (Geometry): which states are neighbours, see
                :meth:`~..attention.geometry.Full.neighbours`.

        Returns:
            Float[..., D]
        """
        before, after = self._reach(max(self.kernels))
        states = geometry.neighbours(x, before, after).transpose(1, 2)
        convs, groups = iter(self.convs), []
        for (kernel, _), group in zip(
            self.runs, states.split([width for _, width in self.runs], 1)
        ):
            left, right = self._reach(kernel)
            group = group[..., before - left : group.shape[-1] - after + right]
            if kernel:
                conv = next(convs)
                group = F.conv1d(group, conv.weight, conv.bias, groups=conv.groups)
            groups.append(group)
        return torch.cat(groups, 1).transpose(1, 2).reshape(x.shape)

    def _reach(self, kernel):
        """How many states before and after its own a kernel sees."""
        around = max(kernel - 1, 0)
        return (around, 0) if self.causal else (around // 2, around // 2)

    def extra_repr(self):
        return f"kernels={self.kernels}, causal={self.causal}"


def check_kernels(kernels, dim):
    """Raise ValueError where ``kernels`` (sequence of int) do not fit D = ``dim``."""
    if not any(kernels) or any(k < 0 or (k and k % 2 == 0) for k in kernels):
        raise ValueError("kernel sizes must be odd, or 0 for none, and one must not be 0")
    if dim % len(kernels):
        raise ValueError(
            f"{len(kernels)} kernels need a width that is a multiple of {len(kernels)}, "
            f"and {dim} is not"
        )


def parse_kernels(text, dim):
    """``"0,1,3"`` to ``[0, 1, 3]``; ValueError where those do not fit D = ``dim``."""
    kernels = parse_sizes(text)
    check_kernels(kernels, dim)
    return kernels
