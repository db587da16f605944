"""A decoder's part in a search: what it is given step by step, and what it keeps."""

import torch

from ..modules.decoding import ChainCache, DecodingCache, PreparedLayers
from .encoder_rows import memory_of

# A table of the states of so many symbols is made sooner than one call too many is.
MOST_ROWS = 1024


class SearchSteps:
    """Mixin of a decoder: beam search, and the search for several symbols at a time.

    It has ``_placed(states, positions)`` beside what fairseq's decoder has.
    """

    #: whether training is over
    is_final = False
    _kept = None  # weights, and what was prepared of them

    def make_generation_fast_(self, need_attn=False, **kwargs):
        """Called by fairseq before it generates: from then on a model refuses to train."""
        self.need_attn, self.is_final = need_attn, True

    def _begin(self, cache, limit=None):
        """A search with ``cache`` (SearchCache), which gets what is the same in all its
        steps, positions for ``limit`` symbols among it."""
        cache.prepared, cache.rows = self._prepare(cache.memory.device)
        if limit is not None and self.embed_positions is not None:
            shape, anything = (1, limit), self.dictionary.eos()
            symbols = cache.memory.new_full(shape, anything, dtype=torch.long)
            cache.positions = self.embed_positions(symbols)[0]
        return cache

    def _prepare(self, device):
        """Layers (PreparedLayers), and the states of all symbols, Float[V, D], or None
        where these are many. A final model keeps both until its weights are others."""
        weights = None
        if self.is_final:
            weights = [(p.data_ptr(), p._version, p.dtype) for p in self.parameters()]
            if self._kept is not None and self._kept[0] == weights:
                return self._kept[1]
        symbols, rows = torch.arange(len(self.dictionary), device=device), None
        if len(symbols) <= MOST_ROWS:
            rows = self.embed_tokens(symbols[None])[0][0]
        made = PreparedLayers(self.layers, self.layer_norm), rows
        if self.is_final:
            self._kept = weights, made
        return made

    def _newest(self, symbols, cache, positions):
        """States Float[S, g, D] of ``symbols``, Long[S, g]."""
        if cache.rows is None:
            return self._placed(self.embed_tokens(symbols)[0], positions)
        x = cache.rows.index_select(0, symbols.flatten())
        return self._placed(x.view(*symbols.shape, -1), positions)

    def start_beams(self, encoder_out, beam, limit):
        """Begin a beam search.

        Args:
            encoder_out (dict): the encoder's output, a row a sentence.
            beam (int): g, hypotheses of each.
            limit (int): the most symbols that are read, the first one included.

        Returns:
            DecodingCache: to be given to :meth:`continue_beams`.
        """
        memory, allowed = memory_of(encoder_out)
        rows = torch.arange(len(memory)).repeat_interleave(beam)
        return self._begin(DecodingCache(memory, allowed, rows, self.num_layers), limit)

    def continue_beams(self, symbols, cache, step):
        """Logits Float[S, g, V] behind the newest symbols, Long[S, g], of all hypotheses.

        Args:
            symbols (Long[S, g]): in the order of the cache's store.
            cache (DecodingCache): of :meth:`start_beams`.
            step (int): how many symbols are before them.
        """
        positions = None if cache.positions is None else cache.positions[step]
        x = self._newest(symbols, cache, positions)
        return self.output_layer(cache.step(x)[0])

    def start_chains(self, encoder_out, limit):
        """Begin a search that writes several symbols at a time: a ChainCache.

        Args:
            encoder_out (dict): the encoder's output, a row a hypothesis.
            limit (int): the most symbols that are read, the first one included.
        """
        memory, allowed = memory_of(encoder_out)
        return self._begin(ChainCache(memory, allowed, self.num_layers), limit)

    def continue_chains(self, symbols, cache):
        """The newest symbols of chains.

        Args:
            symbols (Long[B, g]): behind those that ``cache`` has kept.
            cache (ChainCache): of :meth:`start_chains`.

        Returns:
            tuple: logits Float[B, g, V] behind each symbol, and the states Float[B, g, D]
            that they are made of.

        Raises:
            RuntimeError: logits are NaN or infinite.
        """
        positions = cache.positions
        if positions is not None:
            steps = torch.arange(symbols.shape[1], device=symbols.device)
            places = cache.lengths[:, None] + steps
            positions = positions[places.clamp(max=len(positions) - 1)]
        x = self._newest(symbols, cache, positions)
        states, _ = cache.step(cache.enter(x))
        logits = self.output_layer(states)
        check_logits(logits, int(cache.lengths.max()) + 1)
        return logits, states

    @staticmethod
    def not_finite(symbol):
        """RuntimeError: what stands behind ``symbol`` (int) is no number."""
        return RuntimeError(
            f"the model's output is NaN or infinite at symbol {symbol} of a translation: "
            "drop --fp16 or --bf16 if one is given, or take another checkpoint"
        )


def check_logits(logits, symbol):
    """Raise RuntimeError where logits (Float[B, T, V]) behind ``symbol`` are no numbers."""
    # The largest: it is NaN where one is, and all being -inf is no choice either.
    if not logits.amax(-1).isfinite().all():
        raise SearchSteps.not_finite(symbol)
