"""The cache of a search that writes several symbols at a time and may take some back."""

import torch

from .search_cache import SearchCache, bias_of

SMALLEST_CAPACITY = 64


class ChainCache(SearchCache):
    """Keys and values of one hypothesis a sentence: a chain of symbols, each row its own.

    A step enters g new positions of each row behind those that are kept; each sees what is
    kept and the new ones before it. Then :meth:`keep` says how many of the new ones stay:
    rows grow by different lengths::

        kept      a b c . . .      enter 3      a b c x y z      keep 1, 3    a b c x
                  a . . . . .                   a x y z . .                   a x y z

    Args:
        memory (Float[B, T, E]): the encoder's states.
        allowed (Bool[B, 1, 1, T]): where a query may look, or None.
        num_layers (int): L.
    """

    gathers = False

    def __init__(self, memory, allowed, num_layers):
        super().__init__(memory, allowed, num_layers)
        #: Long[B]: how many positions of each row are kept
        self.lengths = torch.zeros(len(memory), dtype=torch.long, device=memory.device)
        #: Long[B, g]: where the new positions are
        self.places = None
        self._size, self._capacity = 0, SMALLEST_CAPACITY
        # slot: keys Float[B, H, d, capacity] and values Float[B, H, capacity, d]
        self._slots = {}
        # slot: states Float[B, count + capacity, D], zeros before the first
        self._states = {}
        self._start_anew()

    def _start_anew(self):
        self._rows = torch.arange(self.num_rows, device=self.lengths.device)[:, None]

    @property
    def num_rows(self):
        """B, the rows of the batch."""
        return len(self.lengths)

    def enter(self, x):
        """New positions Float[B, g, D], as they are."""
        steps = torch.arange(x.shape[1], device=x.device)
        self.places = self.lengths[:, None] + steps
        return x

    def leave(self, x):
        """The inverse of :meth:`enter`."""
        return x

    def make_room(self, dtype):
        """Float[B, 1, g, n]: each new position sees its row up to itself."""
        self._size = int(self.places[:, -1].max()) + 1
        if self._size > self._capacity:
            self._grow(max(2 * self._capacity, self._size))
        nodes = torch.arange(self._size, device=self.places.device)
        return bias_of((nodes <= self.places[..., None])[:, None], dtype)

    def write(self, slot, keys, values):
        """Write the new positions; see :meth:`SearchCache.write`."""
        if slot not in self._slots:
            rows, _, heads, width = keys.shape
            self._slots[slot] = (
                keys.new_zeros(rows, heads, width, self._capacity),
                values.new_zeros(rows, heads, self._capacity, width),
            )
        all_keys, all_values = self._slots[slot]
        all_keys[self._rows, :, :, self.places] = keys
        all_values[self._rows, :, self.places] = values
        all_keys, all_values = all_keys.flatten(0, 1), all_values.flatten(0, 1)
        return all_keys[..., : self._size], all_values[:, : self._size]

    def recall(self, slot, states, count):
        """Remember the new positions' states; see :meth:`SearchCache.recall`."""
        rows, new, width = states.shape
        if slot not in self._states:
            shape = rows, count + self._capacity, width
            self._states[slot] = states.new_zeros(shape)
        self._states[slot][self._rows, self.places + count] = states
        window = torch.arange(count + 1, device=states.device)
        index = (self.places[..., None] + window).view(rows, -1, 1).expand(-1, -1, width)
        return self._states[slot].gather(1, index).view(rows, new, count + 1, width)

    def keep(self, counts):
        """Keep the first ``counts`` (Long[B]) of the new positions of each row."""
        self.lengths = self.lengths + counts

    def select(self, rows):
        """Row i becomes what ``rows[i]`` was (Long[B'])."""
        self.lengths = self.lengths.index_select(0, rows)
        self._change_slots(lambda x, dim: x.index_select(0, rows))
        for slot, memory in self.memories.items():
            count = len(self._rows)
            self.memories[slot] = tuple(
                x.unflatten(0, (count, -1)).index_select(0, rows).flatten(0, 1)
                for x in memory
            )
        if self.memory_bias is not None:
            self.memory_bias = self.memory_bias.index_select(0, rows)
        self._start_anew()

    def _grow(self, capacity):
        more = capacity - self._capacity

        def widened(x, dim):
            shape = list(x.shape)
            shape[dim] = more
            return torch.cat([x, x.new_zeros(shape)], dim)

        self._change_slots(widened)
        self._capacity = capacity

    def _change_slots(self, change):
        """Replace every store by ``change(store, dimension of its positions)``."""
        self._slots = {s: (change(k, 3), change(v, 2)) for s, (k, v) in self._slots.items()}
        self._states = {slot: change(states, 1) for slot, states in self._states.items()}
