"""Keys and values of a beam search's hypotheses, stored as one tree a sentence.

The hypotheses of a beam share most of their past: whatever two of them have in common
was written by the same ancestor. So the cache of a sentence is a list of *nodes*, one
for each symbol that any hypothesis holds, and a mask that says which hypothesis
descends from which node. All hypotheses of a sentence attend to all of its nodes in
one product, under that mask::

    beam 0   a b c        nodes   a  b  c  x  y
    beam 1   a b x        beam 0  1  1  1  .  .
    beam 2   a y x        beam 1  1  1  .  1  .   (each x is a node of its own)

Re-ordering the beam copies rows of the mask, never keys or values. Nodes of which no
descendant is left are dropped every few steps; only what lies behind the first of
them moves.

Source: the tree mask is that of Miao et al. 2023, *SpecInfer*, section 4; sharing the
keys of a common prefix, of Athiwaratkun et al. 2024, *Bifurcated Attention*.
"""

import torch

# Dead nodes cost an attention step as much as live ones, dropping them costs about
# thirty small operations: every eighth step was the fastest of 4, 8, 16 and 32.
STEPS_BETWEEN_PRUNINGS = 8
SMALLEST_CAPACITY = 64


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
        self.num_sentences = num_sentences
        self.beam = beam
        #: number n of columns in use: nodes of the sentence that has most, dead or alive
        self.size = 0
        self._prune_at = STEPS_BETWEEN_PRUNINGS * beam
        shape = (num_sentences, beam, SMALLEST_CAPACITY)
        self._descends = torch.zeros(shape, dtype=torch.bool, device=device)
        self._nodes = None  # Float[L, 2, S, H, capacity, d]

    def open_step(self):
        """Make room for a new node of every hypothesis.

        Returns:
            Bool[S, 1, g, n]: which node each hypothesis may look at, its new one
            among them.
        """
        if self.size >= self._prune_at:
            self.prune()
        start, self.size = self.size, self.size + self.beam
        if self.size > self._descends.shape[2]:
            self._grow(max(2 * self._descends.shape[2], self.size))
        self._descends[:, :, start : self.size] = torch.eye(
            self.beam, dtype=torch.bool, device=self._descends.device
        )
        return self._descends[:, None, :, : self.size]

    def write(self, layer, keys_values):
        """Write the new nodes of a layer.

        Args:
            layer (int)
            keys_values (Float[2, S, H, g, d])

        Returns:
            tuple: keys and values Float[S, H, n, d] of all nodes, views of the store.
        """
        if self._nodes is None:
            _, sentences, heads, _, width = keys_values.shape
            capacity = self._descends.shape[2]
            self._nodes = keys_values.new_empty(
                self.num_layers, 2, sentences, heads, capacity, width
            )
        nodes = self._nodes[layer, ..., : self.size, :]
        nodes[..., self.size - self.beam :, :] = keys_values
        return nodes[0], nodes[1]

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
            used = self._nodes[..., : self.size, :]
            used[:, :, targets] = used[:, :, sources]
        self._descends = self._descends[:count]
        self._nodes = self._nodes[:, :, :count]
        self.num_sentences = count

    def prune(self):
        """Drop the nodes that no hypothesis descends from."""
        alive = self._descends[:, :, : self.size].any(1)
        size = int(alive.sum(1).max())
        # A stable sort keeps the order, so that what lies before the first dead node of
        # all sentences stays where it is.
        source = (~alive).byte().sort(stable=True, dim=1).indices[:, :size]
        in_place = torch.arange(size, device=source.device)
        moves = (source != in_place).any(0)
        if moves.any():
            start = int(moves.byte().argmax())
            source = source[:, start:]
            self._descends[:, :, start:size] = self._descends.gather(
                2, source[:, None].expand(-1, self.beam, -1)
            )
            self._gather(source[:, None], self._nodes[..., start:size, :])
        self.size = size
        self._prune_at = size + STEPS_BETWEEN_PRUNINGS * self.beam

    def _gather(self, columns, out):
        """Write the nodes ``columns`` (Long[S, g', M]) to ``out`` (Float[.., S g', .., M, d]).

        A row of width d at a time: this is several times faster than ``torch.gather``.
        """
        _, _, sentences, heads, capacity, width = self._nodes.shape
        first = torch.arange(sentences * heads, device=columns.device) * capacity
        index = (first.view(sentences, 1, heads, 1) + columns.unsqueeze(2)).flatten()
        for layer in range(self.num_layers):
            for kind in range(2):
                rows = self._nodes[layer, kind].flatten(0, 2).index_select(0, index)
                out[layer, kind] = rows.view_as(out[layer, kind])

    def _grow(self, capacity):
        used = self._descends[:, :, : self.size]
        self._descends = used.new_zeros(*used.shape[:2], capacity)
        self._descends[:, :, : used.shape[2]] = used
        if self._nodes is not None:
            old = self._nodes
            self._nodes = old.new_empty(*old.shape[:4], capacity, old.shape[5])
            self._nodes[..., : old.shape[4], :] = old

    def split(self):
        """Give every hypothesis a tree of its own: S * g sentences of one hypothesis.

        For re-orderings across sentences, which no tree can follow.
        """
        rows, used = self.num_sentences * self.beam, self._descends[:, :, : self.size]
        # Every hypothesis has as many ancestors as there were steps.
        columns = used.nonzero()[:, 2].view(self.num_sentences, self.beam, -1)
        length = columns.shape[2]
        shape = list(self._nodes.shape)
        shape[2], shape[4] = rows, length
        nodes = self._nodes.new_empty(shape)
        self._gather(columns, nodes)
        self._nodes = nodes
        self._descends = used.new_ones(rows, 1, length)
        self.num_sentences, self.beam, self.size = rows, 1, length
        self._prune_at = 2 * length + 1

    def select(self, sentences):
        """Sentence i becomes what ``sentences[i]`` was (Long[S']), copying its nodes."""
        self._descends = self._descends.index_select(0, sentences)
        self._nodes = self._nodes.index_select(2, sentences)
        self.num_sentences = len(sentences)
