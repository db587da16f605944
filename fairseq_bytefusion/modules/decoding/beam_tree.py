"""Keys and values of a beam search's hypotheses, stored as one tree a sentence.

The hypotheses of a beam share most of their past: whatever two of them have in common
was written by the same ancestor. So the cache of a sentence is a set of *nodes*, one
for each symbol that any hypothesis holds, and a mask that says which hypothesis
descends from which node. All hypotheses of a sentence attend to all of its nodes in
one product, under that mask::

    beam 0   a b c        nodes   a  b  c  x  y  x
    beam 1   a b x        beam 0  1  1  1  .  .  .
    beam 2   a y x        beam 1  1  1  .  1  .  .
                          beam 2  1  .  .  .  1  1

Re-ordering the beam copies rows of the mask, never keys or values. New nodes are written
one behind the other, at the same places in every sentence; every few steps those that some
hypothesis still descends from are moved to places that have become free, and the others
are forgotten.

Source: the tree mask is that of Miao et al. 2023, *SpecInfer*, section 4; sharing the
keys of a common prefix, of Athiwaratkun et al. 2024, *Bifurcated Attention*.
"""

import itertools

import torch

# Folding takes two dozen small operations and one synchronisation.
STEPS_BETWEEN_FOLDS = 8
# Not a power of two, nor twice it: rows of keys a power of two apart share cache lines.
SMALLEST_CAPACITY = 72
HIDDEN = float("-inf")


class BeamTree:
    """The nodes of S sentences with g hypotheses each.

    Keys and values of the nodes lie in slots, one for each branch of each attention.

    Args:
        num_sentences (int): S.
        beam (int): g.
        device (torch.device)
    """

    def __init__(self, num_sentences, beam, device):
        self.num_sentences, self.beam = num_sentences, beam
        self._folded = 0  # places before this one have been folded
        # Float[S * g, n]: 0 where a hypothesis descends from a node, else -inf
        self._bias = torch.zeros(num_sentences * beam, 0, device=device)
        # slot: keys Float[S, H, d, capacity] and values Float[S, H, capacity, d]
        self._slots, self._capacity = {}, SMALLEST_CAPACITY
        # slot: the last states of each hypothesis, Float[S, g, count, D]
        self._recent = {}
        self._start_anew()

    def _start_anew(self):
        """Forget what holds for the present sentences and store only."""
        self._views, self._own = {}, None

    @property
    def size(self):
        """int: number n of places in use, the same for all sentences; some are free."""
        return self._bias.shape[1]

    def open_step(self, dtype=torch.float32):
        """Make room for a new node of every hypothesis.

        Returns:
            Float[S, 1, g, n]: of ``dtype``; 0 where a hypothesis may look at a node, its
            new one among them, else -inf.
        """
        # A single hypothesis descends from all nodes.
        if self.beam > 1 and self.size - self._folded >= STEPS_BETWEEN_FOLDS * self.beam:
            self._fold()
        if self._own is None or self._own.dtype != dtype:
            shape = self.beam, self.beam
            own = torch.full(shape, HIDDEN, dtype=dtype, device=self._bias.device)
            self._own = own.fill_diagonal_(0.0).repeat(self.num_sentences, 1)
            self._bias = self._bias.to(dtype)
        self._bias = torch.cat([self._bias, self._own], 1)
        if self.size > self._capacity:
            self._grow(max(2 * self._capacity, self.size))
        return self._bias.view(self.num_sentences, 1, self.beam, -1)

    def _fold(self):
        """Move the nodes of the last steps to places of such as none descends from."""
        bias = self._bias.view(self.num_sentences, self.beam, -1)
        alive = bias.eq(0).any(1)
        old, new = alive[:, : self._folded], alive[:, self._folded :]
        counts = torch.stack([old.sum(1), new.sum(1), alive.sum(1)]).amax(1)
        old_count, new_count, count = counts.tolist()
        size = max(self._folded, old_count + new_count)
        if size > 1.25 * count + new.shape[1]:  # sentences with more have left
            self._take(alive, count)
        elif size < self.size:
            self._move(new, alive[:, :size].clone(), new_count, size)
        self._folded = self.size

    def _move(self, new, taken, count, size):
        """Keep ``size`` places.

        Args:
            new (Bool[S, n - folded]): which of the last steps' nodes are alive.
            taken (Bool[S, size]): which places are, changed in place.
            count (int): the most that any sentence has of ``new``.
        """
        taken[:, self._folded :] = False
        sources = _first_true(new, count) + self._folded
        targets = _first_true(~taken, count)
        shape = self.num_sentences, 1, -1
        index = [x.view(shape).expand(-1, self.beam, -1) for x in (sources, targets)]
        bias = self._bias.view(self.num_sentences, self.beam, -1)
        moved = bias.gather(2, index[0])
        bias[:, :, self._folded :] = HIDDEN
        bias.scatter_(2, index[1], moved)
        self._bias = bias[:, :, :size].flatten(0, 1)
        rows = torch.arange(self.num_sentences, device=sources.device)[:, None]
        for keys, values in self._slots.values():
            keys[rows, :, :, targets] = keys[rows, :, :, sources]
            values[rows, :, targets] = values[rows, :, sources]

    def _take(self, alive, count):
        """Move the nodes that are ``alive`` (Bool[S, n]) to the first ``count`` places."""
        source = _first_true(alive, count)
        bias = self._bias.view(self.num_sentences, self.beam, -1)
        index = source[:, None].expand(-1, self.beam, -1)
        self._bias = bias.gather(2, index).flatten(0, 1)
        for keys, values in self._slots.values():
            keys[..., :count] = _gather(keys, source, 3)
            values[:, :, :count] = _gather(values, source, 2)

    def write(self, slot, keys, values):
        """Write the new nodes of a slot.

        Args:
            slot (hashable): a new one gets its room here.
            keys, values (Float[S, g, H, d]): H and d may be others in another slot.

        Returns:
            tuple: keys Float[S * H, d, n] and values Float[S * H, n, d] of all nodes,
            views of the store.
        """
        if slot not in self._views:  # views of each slot, not made at every step
            if slot not in self._slots:
                self._slots[slot] = self._room_for(keys)
            store = self._slots[slot]
            self._views[slot] = (*store, *(x.flatten(0, 1) for x in store))
        own_keys, own_values, all_keys, all_values = self._views[slot]
        size, beam = self.size, self.beam
        own_keys.narrow(3, size - beam, beam).copy_(keys.permute(0, 2, 3, 1))
        own_values.narrow(2, size - beam, beam).copy_(values.transpose(1, 2))
        return all_keys.narrow(2, 0, size), all_values.narrow(1, 0, size)

    def recall(self, slot, states, count):
        """Remember the new nodes' states, and give those of their ancestors before them.

        They are few: each hypothesis has a copy of its own.

        Args:
            slot (hashable): a new one is made here.
            states (Float[S, g, D])
            count (int): how many are remembered.

        Returns:
            Float[S, g, count + 1, D]: zeros before the first.
        """
        if slot not in self._recent:
            sentences, beam, width = states.shape
            self._recent[slot] = states.new_zeros(sentences, beam, count, width)
        window = torch.cat([self._recent[slot], states.unsqueeze(2)], 2)
        self._recent[slot] = window[:, :, 1:]
        return window

    def _change_recent(self, change):
        """Replace the remembered states of every slot by ``change(states)``."""
        self._recent = {slot: change(states) for slot, states in self._recent.items()}

    def _room_for(self, nodes):
        """Keys and values of a slot whose nodes are Float[S, g, H, d]."""
        sentences, _, heads, width = nodes.shape
        # Zeros: a place that is free now may be looked at, with weight zero.
        return (
            nodes.new_zeros(sentences, heads, width, self._capacity),
            nodes.new_zeros(sentences, heads, self._capacity, width),
        )

    def _change_slots(self, change):
        """Replace every slot by ``change(keys, values)``."""
        self._slots = {slot: change(*store) for slot, store in self._slots.items()}
        self._start_anew()

    def _grow(self, capacity):
        self._capacity = capacity
        self._change_slots(
            lambda keys, values: (
                _widened(keys, 3, capacity),
                _widened(values, 2, capacity),
            )
        )

    def follow(self, parents):
        """Hypothesis i continues what was hypothesis ``parents[i]`` of its sentence.

        Args:
            parents (Long[S * g]): rows of the flattened [S, g], in the same sentence.
        """
        self._bias = self._bias.index_select(0, parents)
        self._change_recent(
            lambda states: states.flatten(0, 1).index_select(0, parents).view_as(states)
        )

    def move(self, sources, targets, count):
        """Keep ``count`` sentences: ``targets[i]`` becomes what ``sources[i]`` was.

        Args:
            sources, targets (Long[K]): sentences, sources >= count > targets.
            count (int): the sentences kept are the first ones.
        """
        bias = self._bias.view(self.num_sentences, self.beam, -1)
        if len(sources):
            stores = itertools.chain(*self._slots.values(), self._recent.values())
            for nodes in itertools.chain([bias], stores):
                nodes[targets] = nodes[sources]
        self.num_sentences = count
        self._bias = bias[:count].flatten(0, 1)
        self._change_recent(lambda states: states[:count])
        self._change_slots(lambda keys, values: (keys[:count], values[:count]))

    def split(self):
        """Give every hypothesis a tree of its own: S * g sentences of one hypothesis.

        For re-orderings across sentences, which no tree can follow.
        """
        parent = torch.arange(self.num_sentences, device=self._bias.device)
        parent = parent.repeat_interleave(self.beam)
        # Every hypothesis has as many ancestors as there were steps.
        places = self._bias.eq(0).nonzero()[:, 1].view(len(parent), -1)
        self.num_sentences, self.beam = len(parent), 1
        self._bias = torch.zeros_like(places, dtype=self._bias.dtype)
        self._folded = self._capacity = places.shape[1]
        self._change_recent(lambda states: states.flatten(0, 1).unsqueeze(1))
        self._change_slots(
            lambda keys, values: (
                _gather(keys.index_select(0, parent), places, 3),
                _gather(values.index_select(0, parent), places, 2),
            )
        )

    def select(self, sentences):
        """Sentence i becomes what ``sentences[i]`` was (Long[S']), copying its nodes."""
        self._bias = self._bias.index_select(0, sentences)
        self.num_sentences = len(sentences)
        self._change_recent(lambda states: states.index_select(0, sentences))
        self._change_slots(
            lambda keys, values: (
                keys.index_select(0, sentences),
                values.index_select(0, sentences),
            )
        )


def _first_true(x, count):
    """Long[S, count]: where x (Bool[S, n]) is True, in order; False follows where there are
    fewer."""
    return (~x).byte().sort(stable=True, dim=1).indices[:, :count]


def _gather(nodes, places, dim):
    """``nodes`` (Float[S, H, ., .]) at the ``places`` (Long[S, M]) of dimension ``dim``."""
    shape = list(nodes.shape)
    shape[dim] = places.shape[1]
    index = places[:, None, None] if dim == 3 else places[:, None, :, None]
    return nodes.gather(dim, index.expand(shape))


def _widened(x, dim, size):
    """``x`` with zeros behind it, up to ``size`` along dimension ``dim``."""
    shape = list(x.shape)
    shape[dim] = size
    out = x.new_zeros(shape)
    out.narrow(dim, 0, x.shape[dim]).copy_(x)
    return out
