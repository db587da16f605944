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

import torch

# Looking for free places takes a dozen small operations and one synchronisation.
STEPS_BETWEEN_PLANS = 8
# Not a power of two, nor twice it: rows of keys a power of two apart share cache lines.
SMALLEST_CAPACITY = 72


class BeamTree:
    """The nodes of S sentences with g hypotheses each, for L layers.

    Args:
        num_layers (int): L.
        num_sentences (int): S.
        beam (int): g.
        device (torch.device)
    """

    def __init__(self, num_layers, num_sentences, beam, device):
        self.num_layers = num_layers
        self.beam = beam
        #: number n of places in use, the same for all sentences; some are free
        self.size = 0
        shape = (num_sentences, beam, SMALLEST_CAPACITY)
        self._descends = torch.zeros(shape, dtype=torch.bool, device=device)
        self._keys = None  # Float[L, S, H, d, capacity]
        self._values = None  # Float[L, S, H, capacity, d]
        self._places = None  # Long[S, g], of the newest nodes
        self._start_anew()

    def _start_anew(self):
        """Forget what holds for the present sentences and store only."""
        # For each coming step, the last one first: its new nodes' places and its size.
        self._plan, self._views = [], []
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

    def write(self, layer, keys, values):
        """Write the new nodes of a layer.

        Args:
            layer (int)
            keys, values (Float[S, g, H, d])

        Returns:
            tuple: keys Float[S * H, d, n] and values Float[S * H, n, d] of all nodes,
            views of the store.
        """
        if self._keys is None:
            self._allocate(keys, self._descends.shape[2])
        if layer == len(self._views):  # views of each layer, not made at every step
            views = self._keys[layer], self._values[layer]
            self._views.append((*views, views[0].flatten(0, 1), views[1].flatten(0, 1)))
        own_keys, own_values, all_keys, all_values = self._views[layer]
        own_keys[self._rows, :, :, self._places] = keys
        own_values[self._rows, :, self._places] = values
        return all_keys[..., : self.size], all_values[:, : self.size]

    def _allocate(self, like, capacity):
        _, _, heads, width = like.shape
        start = (self.num_layers, self._descends.shape[0], heads)
        # Zeros: a place that is free now may be looked at, with weight zero.
        self._keys = like.new_zeros(*start, width, capacity)
        self._values = like.new_zeros(*start, capacity, width)

    def _grow(self, capacity):
        self._descends = _widened(self._descends, 2, capacity)
        if self._keys is not None:
            self._keys = _widened(self._keys, 4, capacity)
            self._values = _widened(self._values, 3, capacity)
            self._start_anew()

    def _compact(self, alive, most):
        """Move the nodes that are alive (Bool[S, n]) to the first ``most`` places."""
        source = (~alive).byte().sort(stable=True, dim=1).indices[:, :most]
        kept = self._descends.gather(2, source[:, None].expand(-1, self.beam, -1))
        self._descends.zero_()
        self._descends[:, :, :most] = kept
        for layer in range(self.num_layers):
            keys, values = self._keys[layer], self._values[layer]
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

    def move(self, sources, targets, count):
        """Keep ``count`` sentences: ``targets[i]`` becomes what ``sources[i]`` was.

        Args:
            sources, targets (Long[K]): sentences, sources >= count > targets.
            count (int): the sentences kept are the first ones.
        """
        if len(sources):
            self._descends[targets] = self._descends[sources]
            self._keys[:, targets] = self._keys[:, sources]
            self._values[:, targets] = self._values[:, sources]
        self._descends = self._descends[:count]
        self._keys, self._values = self._keys[:, :count], self._values[:, :count]
        self._start_anew()

    def split(self):
        """Give every hypothesis a tree of its own: S * g sentences of one hypothesis.

        For re-orderings across sentences, which no tree can follow.
        """
        used = self._descends[:, :, : self.size]
        sentences = used.shape[0]
        # Every hypothesis has as many ancestors as there were steps.
        places = used.nonzero()[:, 2].view(sentences * self.beam, -1)
        parent = self._rows.expand(-1, self.beam).flatten()
        self._keys = torch.stack(
            [_gather(keys.index_select(0, parent), places, 3) for keys in self._keys]
        )
        self._values = torch.stack(
            [_gather(values.index_select(0, parent), places, 2) for values in self._values]
        )
        self.beam, self.size = 1, places.shape[1]
        self._descends = used.new_ones(len(places), 1, self.size)
        self._start_anew()

    def select(self, sentences):
        """Sentence i becomes what ``sentences[i]`` was (Long[S']), copying its nodes."""
        self._descends = self._descends.index_select(0, sentences)
        self._keys = self._keys.index_select(1, sentences)
        self._values = self._values.index_select(1, sentences)
        self._start_anew()


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
