"""What a decoder remembers between the steps of any search."""

import torch

from .cached_attention import CachedMemory, CachedPast


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
        if allowed is not None and allowed.all():
            allowed = None
        self.memory_bias = None if allowed is None else bias_of(allowed, memory.dtype)
        self.layers = [LayerCache(self, index) for index in range(num_layers)]
        #: the decoder's, which it puts here: PreparedLayers; the states Float[V, D] of all
        #: symbols and those Float[limit, D] of positions, or None
        self.prepared = self.rows = self.positions = None
        #: (layer, branch) -> keys Float[S * H, d, T], values Float[S * H, T, d] of memory
        self.memories = {}
        #: Float[S, 1, g, n]: 0 where a new position may look at a node, else -inf
        self.bias = None
        self._ancestors = None

    def make_room(self, dtype):
        """Make room for the new positions of a step.

        Returns:
            Float[S, 1, g, n]: of ``dtype``; 0 where each may look at a node, its own among
            them, else -inf.
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

    def step(self, x, weights_of=None):
        """New positions through all layers.

        Args:
            x (Float[S, g, D])
            weights_of (int, optional): as of :class:`PreparedLayers`.

        Returns:
            tuple: as of :class:`PreparedLayers`.
        """
        self.open_step(x.dtype)
        found = self.prepared(x, self, weights_of)
        self.memory = None
        return found

    def open_step(self, dtype):
        """Begin a step; the layers' ``bias`` is of type ``dtype``."""
        self.bias, self._ancestors = self.make_room(dtype), None

    @property
    def ancestors(self):
        """Long[S, g, m]: the nodes that each new position may look at, itself among them.

        Every hypothesis has as many: one a step.
        """
        if self._ancestors is None:
            shape = *self.bias.shape[:3:2], -1
            self._ancestors = self.bias.eq(0).nonzero()[:, 3].view(shape)
        return self._ancestors

    def memory_of(self, branch, slot):
        """Keys and values that a branch makes of the encoder's states, made once.

        Args:
            branch (Branch)
            slot (hashable): of a branch of a layer.

        Returns:
            tuple: see :meth:`Branch.project_memory`.
        """
        if slot not in self.memories:
            self.memories[slot] = branch.project_memory(self.memory)
        return self.memories[slot]


def bias_of(allowed, dtype):
    """What to add to attention scores: 0 where ``allowed`` (Bool), else -inf."""
    bias = torch.zeros(allowed.shape, dtype=dtype, device=allowed.device)
    return bias.masked_fill_(~allowed, float("-inf"))
