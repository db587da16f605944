"""Attention = branches x geometry.

A branch has projections and a kernel (:class:`Branch`; :class:`MultiheadAttention` is the
softmax one); a :class:`BranchedAttention` combines several. Both have
``forward(query, memory, geometry, need_weights=False) -> (output, weights or None)``, and
the geometry says which keys a query sees. Layers are given their attention. To add a
kernel: a file here with a ``Branch``, its two forms compared with an oracle in every
geometry, as in ``tests/modules/attention/test_branched.py``, and a line
in ``ATTENTIONS``.
"""

from functools import partial

from .branch import Branch
from .branched import BranchedAttention
from .fused import FusedAttention, OuterProductBranch
from .geometry import Causal, Full
from .multihead import MultiheadAttention

#: what a model's options choose from: options -> what makes an attention of ``embed_dim``
#: (int), ``num_heads`` (int) and, by keyword, ``kdim`` and ``dropout``
ATTENTIONS = {
    "softmax": lambda options: MultiheadAttention,
    "fused": lambda options: partial(FusedAttention.build, options),
}

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
