"""Attention = branches x geometry.

A branch has projections and a kernel (:class:`Branch`; :class:`MultiheadAttention` is the
softmax one); a :class:`BranchedAttention` combines several. Both have
``forward(query, memory, geometry, need_weights=False) -> (output, weights or None)``, and
the geometry says which keys a query sees. Layers are given their attention. To add a
kernel: a file here with a ``Branch``, its two forms compared with an oracle in every
geometry, as in ``tests/modules/attention/test_branched.py``, and a choice in
``models/layers.py``.
"""

from .branch import Branch
from .branched import BranchedAttention
from .fused import FusedAttention, OuterProductBranch
from .geometry import Causal, Full
from .multihead import MultiheadAttention

#: those that a model's options choose from
ATTENTIONS = ("softmax", "fused")

__all__ = [
    "ATTENTIONS",
    "Branch",
    "BranchedAttention",
    "Causal",
    "Full",
    "FusedAttention",
    "MultiheadAttention",
    "OuterProductBranch",
]
