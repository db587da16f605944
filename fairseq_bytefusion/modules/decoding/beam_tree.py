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

Re-ordering the beam copies rows of the mask, never keys or values. The place of a node
that no hypothesis descends from any more is used for a new one.

Source: the tree mask is that of Miao et al. 2023, *SpecInfer*, section 4; sharing the
keys of a common prefix, of Athiwaratkun et al. 2024, *Bifurcated Attention*.
"""

import itertools

import torch

# Looking for free places takes a dozen small operations and one synchronisation.
STEPS_BETWEEN_PLANS = 8
# Not a power of two, nor twice it: rows of keys a power of two apart share cache lines.
SMALLEST_CAPACITY = 72


class BeamTree:
    """The nodes of S sentences with g hypotheses each.

    Keys and values of the nodes lie in slots, one for each branch of each attention.

    Args:
        num_sentences (int): S.
        beam (int): g.
        device (torch.device)
    """

    def __init__(self, num_sentences, beam, device):
        self.beam = beam
        #: number n of places in use, the same for all sentences; some are free
        self.size = 0
        shape = (num_sentences, beam, SMALLEST_CAPACITY)
        self._descends = torch.zeros(shape, dtype=torch.bool, device=device)
        # slot: keys Float[S, H, d, capacity] and values Float[S, H, capacity, d]
        self._slots = {}
        # slot: the last states of each hypothesis, Float[S, g, count, D]
        self._recent = {}
        self._places = None  # Long[S, g], of the newest nodes
        self._start_anew()

    def _start_anew(self):
        """Forget what holds for the present sentences and store only."""
        # For each coming step, the last one first: its new nodes' places and its size.
        self._plan, self._views = [], {}
        sentences = self._descends.shape[0]
        self._rows = torch.arange(sentences, device=self._descends.device)[:, None]

    def open_step(self):
        """Make room for a new node of every hypothesis.

        Returns:
            Bool[S, 1, g, n]: which node each hypothesis may look at, its new one
            among them.
        """
        if not self._plan:
            self._make_plan()
        self._places, self.size = self._plan.pop()
        own = torch.eye(self.beam, dtype=torch.bool, device=self._places.device)
        self._descends[self._rows, :, self._places] = own
        return self._descends[:, None, :, : self.size]

    def _make_plan(self):
        """Find places for the nodes of the next steps: free ones, lowest first."""
        needed = STEPS_BETWEEN_PLANS * self.beam
        alive = self._descends[:, :, : self.size].any(1)
        most = int(alive.sum(1).max())
        if self.size > 1.25 * most + needed:
            self._compact(alive, most)
            alive = self._descends[:, :, : self.size].any(1)
        if most + needed > self._descends.shape[2]:
            self._grow(max(2 * self._descends.shape[2], most + needed))
        width = min(self._descends.shape[2], self.size + needed)
        taken = self._descends[:, :, :width].any(1)
        free = taken.byte().sort(stable=True, dim=1).indices[:, :needed]
        free = free.view(-1, STEPS_BETWEEN_PLANS, self.beam)
        highest = int(taken.any(0).nonzero().max()) if most else -1
        sizes = (free.amax((0, 2)).cummax(0).values.clamp(min=highest) + 1).tolist()
        self._plan = list(zip(free.unbind(1), sizes))[::-1]

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
        own_keys[self._rows, :, :, self._places] = keys
        own_values[self._rows, :, self._places] = values
        return all_keys[..., : self.size], all_values[:, : self.size]

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
        capacity = self._descends.shape[2]
        # Zeros: a place that is free now may be looked at, with weight zero.
        return (
            nodes.new_zeros(sentences, heads, width, capacity),
            nodes.new_zeros(sentences, heads, capacity, width),
        )

    def _change_slots(self, change):
        """Replace every slot by ``change(keys, values)``."""
        self._slots = {slot: change(*store) for slot, store in self._slots.items()}
        self._start_anew()

    def _grow(self, capacity):
        self._descends = _widened(self._descends, 2, capacity)
        self._change_slots(
            lambda keys, values: (
                _widened(keys, 3, capacity),
                _widened(values, 2, capacity),
            )
        )

    def _compact(self, alive, most):
        """Move the nodes that are alive (Bool[S, n]) to the first ``most`` places."""
        source = (~alive).byte().sort(stable=True, dim=1).indices[:, :most]
        kept = self._descends.gather(2, source[:, None].expand(-1, self.beam, -1))
        self._descends.zero_()
        self._descends[:, :, :most] = kept
        for keys, values in self._slots.values():
            keys[..., :most] = _gather(keys, source, 3)
            values[:, :, :most] = _gather(values, source, 2)
        self.size = most

    def follow(self, parents):
        """Hypothesis i continues what was hypothesis ``parents[i]`` of its sentence.

        Args:
            parents (Long[S * g]): rows of the flattened [S, g], in the same sentence.
        """
        used = self._descends[:, :, : self.size]
        used.copy_(used.flatten(0, 1).index_select(0, parents).view_as(used))
        self._change_recent(
            lambda states: states.flatten(0, 1).index_select(0, parents).view_as(states)
        )

    def move(self, sources, targets, count):
        """Keep ``count`` sentences: ``targets[i]`` becomes what ``sources[i]`` was.

        Args:
            sources, targets (Long[K]): sentences, sources >= count > targets.
            count (int): the sentences kept are the first ones.
        """
        if len(sources):
            self._descends[targets] = self._descends[sources]
            for nodes in itertools.chain(*self._slots.values(), self._recent.values()):
                nodes[targets] = nodes[sources]
        self._descends = self._descends[:count]
        self._change_recent(lambda states: states[:count])
        self._change_slots(lambda keys, values: (keys[:count], values[:count]))

    def split(self):
        """Give every hypothesis a tree of its own: S * g sentences of one hypothesis.

        For re-orderings across sentences, which no tree can follow.
        """
        used = self._descends[:, :, : self.size]
        sentences = used.shape[0]
        # Every hypothesis has as many ancestors as there were steps.
        places = used.nonzero()[:, 2].view(sentences * self.beam, -1)
        parent = self._rows.expand(-1, self.beam).flatten()
        self.beam, self.size = 1, places.shape[1]
        self._descends = used.new_ones(len(places), 1, self.size)
        self._change_recent(lambda states: states.flatten(0, 1).unsqueeze(1))
        self._change_slots(
            lambda keys, values: (
                _gather(keys.index_select(0, parent), places, 3),
                _gather(values.index_select(0, parent), places, 2),
            )
        )

    def select(self, sentences):
        """Sentence i becomes what ``sentences[i]`` was (Long[S']), copying its nodes."""
        self._descends = self._descends.index_select(0, sentences)
        self._change_recent(lambda states: states.index_select(0, sentences))
        self._change_slots(
            lambda keys, values: (
                keys.index_select(0, sentences),
                values.index_select(0, sentences),
            )
        )


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
