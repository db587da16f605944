"""What a decoder remembers between the steps of any search."""

import torch

from .cached_attention import CachedMemory, CachedPast
from .transposed_weights import TransposedWeights


class LayerCache:
    """One layer's part of a :class:`SearchCache`.

    Attributes:
        past, memory: the geometries of its self-attention and of its cross-attention.
    """

    def __init__(self, cache, index):
        self.past = CachedPast(cache, index)
        self.memory = CachedMemory(cache, index)


class SearchCache:
    """Keys and values of the encoder's states, and a store of the past.

    Inside the decoder a batch is Float[S, g, D]: g new positions of each of S sentences.
    What these are, and what they may look at, is the store's to say; a subclass has it.
    It gives ``num_rows``, ``enter``, ``leave``, ``reorder`` and the three methods below.

    Args:
        memory (Float[S, T, E]): the encoder's states.
        allowed (Bool[S, 1, 1, T]): where a query may look, or None.
        num_layers (int): L.
    """

    #: whether a branch that asks for it gets what each new position descends from: of a
    #: tree many nodes are those of others
    gathers = True

    def __init__(self, memory, allowed, num_layers):
        #: encoder states, until every layer has made its keys and values of them
        self.memory = memory
        self.memory_bias = None if allowed is None else _bias(allowed, memory.dtype)
        self.layers = [LayerCache(self, index) for index in range(num_layers)]
        #: (layer, branch) -> keys Float[S * H, d, T], values Float[S * H, T, d] of memory
        self.memories = {}
        #: Float[S, 1, g, n]: 0 where a new position may look at a node, else -inf
        self.bias = None
        self._allowed = self._ancestors = None
        self._weights = TransposedWeights()
        self._num_steps = 0

    def make_room(self):
        """Make room for the new positions of a step.

        Returns:
            Bool[S, 1, g, n]: which nodes each may look at, its own among them.
        """
        raise NotImplementedError

    def write(self, slot, keys, values):
        """Write the new positions' keys and values.

        Args:
            slot (hashable): of a branch of a layer.
            keys, values (Float[S, g, H, d])

        Returns:
            tuple: keys Float[S * H, d, n] and values Float[S * H, n, d] of all nodes.
        """
        raise NotImplementedError

    def recall(self, slot, states, count):
        """Remember the new positions' states, and give those before them.

        Args:
            slot (hashable): of a layer.
            states (Float[S, g, D])
            count (int): how many to remember, the same at every step.

        Returns:
            Float[S, g, count + 1, D]: the last ones of each, zeros before the first.
        """
        raise NotImplementedError

    def open_step(self, dtype):
        """Begin a step; the layers' ``bias`` is of type ``dtype``."""
        self._num_steps += 1
        self._allowed, self._ancestors = self.make_room(), None
        self.bias = _bias(self._allowed, dtype)

    @property
    def ancestors(self):
        """Long[S, g, m]: the nodes that each new position may look at, itself among them.

        Every hypothesis has as many: one a step.
        """
        if self._ancestors is None:
            shape = *self._allowed.shape[:3:2], -1
            self._ancestors = self._allowed.nonzero()[:, 3].view(shape)
        return self._ancestors

    def linear(self, module, x):
        """``module(x)`` for x Float[S, g, D], see :class:`TransposedWeights`."""
        return self._weights.linear(module, x, self._num_steps)


def _bias(allowed, dtype):
    """What to add to attention scores: 0 where ``allowed`` (Bool), else -inf."""
    bias = torch.zeros(allowed.shape, dtype=dtype, device=allowed.device)
    return bias.masked_fill_(~allowed, float("-inf"))
