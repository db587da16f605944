"""The cache of a beam search: what hypotheses share is kept once, in a tree."""

import torch

from .beam_tree import BeamTree
from .search_cache import SearchCache


class DecodingCache(SearchCache):
    """Keys and values of all layers, and which row of the batch they belong to.

    A batch has N = S * g rows: g hypotheses of each of S sentences. What the
    hypotheses of a sentence share is stored once: keys and values of the encoder's
    states, and those of their common past (:class:`BeamTree`). Inside the decoder
    the rows are Float[S, g, D]; when a sentence is finished, the last one takes its
    place in the store, so the sentences' order inside may differ from the outside.

    Args:
        memory (Float[B, T, E]): the encoder's states.
        allowed (Bool[B, 1, 1, T]): where a query may look, or None.
        sentence_of_row (Long[N], optional): row of ``memory`` of each row of the
            batch; without, row n belongs to memory n.
        num_layers (int): L.
    """

    def __init__(self, memory, allowed, sentence_of_row, num_layers):
        num_sentences, beam = memory.shape[0], 1
        if sentence_of_row is not None:
            beam = _beam_of(sentence_of_row.tolist(), num_sentences)
            if beam is None:  # some other order: every row is its own sentence
                beam, num_sentences = 1, len(sentence_of_row)
                memory = memory.index_select(0, sentence_of_row)
                if allowed is not None:
                    allowed = allowed.index_select(0, sentence_of_row)
        super().__init__(memory, allowed, num_layers)
        self.beam = beam
        self._slots = list(range(num_sentences))  # where sentence i of the batch is
        self._device = memory.device
        self._outside = self._inside = None  # Long[N], while the orders differ
        self.tree = BeamTree(num_sentences, beam, memory.device)

    @property
    def num_rows(self):
        """N, the rows of the batch."""
        return len(self._slots) * self.beam

    def enter(self, x):
        """Rows of the batch, Float[N, 1, D], in the order of the store: Float[S, g, D]."""
        if self._outside is not None:
            x = x.index_select(0, self._outside)
        return x.view(-1, self.beam, *x.shape[2:])

    def leave(self, x):
        """The inverse of :meth:`enter`."""
        x = x.reshape(-1, 1, *x.shape[2:])
        return x if self._inside is None else x.index_select(0, self._inside)

    def make_room(self, dtype):
        """A node for every hypothesis, which sees those it descends from."""
        return self.tree.open_step(dtype)

    def write(self, slot, keys, values):
        """Add the newest nodes to a slot; see :meth:`BeamTree.write`."""
        return self.tree.write(slot, keys, values)

    def recall(self, slot, states, count):
        """The last states of every hypothesis; see :meth:`BeamTree.recall`."""
        return self.tree.recall(slot, states, count)

    def reorder(self, new_order):
        """Row i of the batch becomes what was its row ``new_order[i]``.

        Args:
            new_order (Long[N']): may leave out sentences. Where the rows of a sentence
                do not stay together, every row gets keys and values of its own.
        """
        order = new_order.tolist()
        kept = _sentences_of(order, self.beam)
        if kept is None:
            self._split(new_order)
            return
        if kept != list(range(len(self._slots))):
            self._keep(kept)
        if self.beam > 1:
            # Sentences have moved already, so a parent is where its sentence is now.
            parents = [0] * len(order)
            for row, parent in enumerate(order):
                start = self._slots[row // self.beam] * self.beam
                parents[start + row % self.beam] = start + parent % self.beam
            if parents != list(range(len(parents))):
                self.tree.follow(self._tensor(parents))

    def _keep(self, kept):
        """Keep the sentences ``kept``, in that order; the last ones move into the gaps."""
        before = self._slots
        slots = [before[sentence] for sentence in kept]
        count = len(slots)
        free = sorted(set(range(count)).difference(slots))
        target = dict(zip((slot for slot in slots if slot >= count), free))
        sources, targets = self._tensor(target.keys()), self._tensor(target.values())
        self.drop(sources, targets, count)
        self._slots = [target.get(slot, slot) for slot in slots]
        self._permute()

    def follow(self, parents):
        """Row i of the store continues its row ``parents[i]``, see
        :meth:`BeamTree.follow`."""
        self.tree.follow(parents)

    def drop(self, sources, targets, count):
        """Keep ``count`` sentences of the store, see :meth:`BeamTree.move`."""
        before = self.tree.num_sentences
        self.tree.move(sources, targets, count)
        for slot, memory in self.memories.items():
            by_sentence = [x.unflatten(0, (before, -1)) for x in memory]
            for states in by_sentence:
                states[targets] = states[sources]
            self.memories[slot] = tuple(x[:count].flatten(0, 1) for x in by_sentence)
        if self.memory_bias is not None:
            self.memory_bias[targets] = self.memory_bias[sources]
            self.memory_bias = self.memory_bias[:count]

    def _permute(self):
        """Note the rows' order in the store, where it is not that of the batch."""
        self._outside = self._inside = None
        if self._slots != list(range(len(self._slots))):
            inside = self._tensor(self._slots)[:, None] * self.beam
            inside = inside + torch.arange(self.beam, device=self._device)
            self._inside = inside.flatten()
            self._outside = self._inside.argsort()

    def _split(self, rows):
        """Make the given rows of the batch (Long[N']) sentences of their own."""
        if self._inside is not None:
            rows = self._inside.index_select(0, rows)
        if self.beam > 1:
            self.tree.split()
        self.tree.select(rows)
        sentences, count = rows // self.beam, len(self._slots)
        for slot, memory in self.memories.items():
            self.memories[slot] = tuple(
                x.unflatten(0, (count, -1)).index_select(0, sentences).flatten(0, 1)
                for x in memory
            )
        if self.memory_bias is not None:
            self.memory_bias = self.memory_bias.index_select(0, sentences)
        self.beam = 1
        self._slots = list(range(len(rows)))
        self._permute()

    def _tensor(self, numbers):
        return torch.tensor(list(numbers), dtype=torch.long, device=self._device)


def _beam_of(sentence_of_row, num_sentences):
    """g where the rows are g times sentence 0, g times sentence 1 ..., else None."""
    beam, rest = divmod(len(sentence_of_row), num_sentences)
    grouped = [sentence for sentence in range(num_sentences) for _ in range(beam)]
    return beam if not rest and sentence_of_row == grouped else None


def _sentences_of(order, beam):
    """The sentence of each ``beam`` rows of ``order``, else None.

    None where rows of two sentences are mixed, or one sentence comes twice.
    """
    sentences = [row // beam for row in order]
    kept = sentences[::beam]
    grouped = [sentence for sentence in kept for _ in range(beam)]
    return kept if sentences == grouped and len(set(kept)) == len(kept) else None
