"""The decoder: embedder -> positions -> layers -> logits."""

import torch
from fairseq.models.transformer import TransformerDecoderBase

from ..modules.attention import Causal, Full
from ..modules.decoding import DecodingCache
from ..modules.lookahead import LookaheadHeads
from ..modules.transformer_layer import DecoderLayer
from .encoder_rows import memory_of, sentence_of_row
from .layers import build_decoder_layer
from .search_steps import SearchSteps, check_logits


class ByteTransformerDecoder(SearchSteps, TransformerDecoderBase):
    """Transformer decoder over the states of an embedder.

    Its embedder may bring an output projection of its own, and want no dropout on the
    states that become logits.

    Args:
        cfg (TransformerConfig)
        dictionary (fairseq.data.Dictionary)
        embedder (nn.Module): a token embedder, see ``modules.embedders``.
        contexts (sequence of callables): make what stands within the first layers.
        lookahead_heads (int): heads that foresee the symbols behind the next one.

    Source: Vaswani et al. 2017, section 3; Shaham & Levy 2021, section 3.
    """

    def __init__(self, cfg, dictionary, embedder, contexts=(), lookahead_heads=0):
        self._contexts = list(contexts)  # first: the base class builds the layers
        super().__init__(cfg, dictionary, embedder)
        #: LookaheadHeads, or None
        self.lookahead = None
        if lookahead_heads:
            self.lookahead = LookaheadHeads(cfg.decoder.embed_dim, lookahead_heads)
        #: return attention weights when not training, for ``--print-alignment``
        self.need_attn = False
        if not embedder.dropout_on_output:
            for module in self.layers[-1].modules():  # FSDP may wrap the layer
                if isinstance(module, DecoderLayer):
                    module.dropout_on_output = False

    def build_output_projection(self, cfg, dictionary, embed_tokens):
        self.output_projection = embed_tokens.build_output_projection()
        if self.output_projection is None:
            super().build_output_projection(cfg, dictionary, embed_tokens)

    def build_decoder_layer(self, cfg, no_encoder_attn=False):
        return build_decoder_layer(cfg, self._contexts.pop(0) if self._contexts else None)

    def forward(
        self, prev_output_tokens, encoder_out=None, incremental_state=None, **kwargs
    ):
        """As in fairseq; of a search, what no search can choose from is refused.

        Raises:
            RuntimeError: logits of the newest symbol are NaN or infinite.
        """
        found = super().forward(
            prev_output_tokens, encoder_out, incremental_state=incremental_state, **kwargs
        )
        if incremental_state is not None:
            check_logits(found[0], prev_output_tokens.shape[1])
        return found

    def forward_embedding(self, prev_output_tokens, incremental_state=None):
        """States that enter the first layer.

        Args:
            prev_output_tokens (Long[B, T])
            incremental_state (dict, optional): with it, the last position only.

        Returns:
            tuple: Float[B, T, D] and padding_mask Bool[B, T].
        """
        positions = None
        if self.embed_positions is not None:
            positions = self.embed_positions(
                prev_output_tokens, incremental_state=incremental_state
            )
        if incremental_state is not None:
            prev_output_tokens = prev_output_tokens[:, -1:]
            positions = None if positions is None else positions[:, -1:]
        x, padding_mask = self.embed_tokens(prev_output_tokens)
        return self._placed(x, positions), padding_mask

    def _placed(self, x, positions):
        """States Float[B, T, D] of symbols at ``positions`` (Float[B or 1, T, D], or
        None)."""
        if positions is not None:
            x = x + positions
        if self.layernorm_embedding is not None:
            x = self.layernorm_embedding(x)
        return self.dropout_module(x)

    def extract_features(
        self,
        prev_output_tokens,
        encoder_out,
        incremental_state=None,
        full_context_alignment=False,
        alignment_layer=None,
        alignment_heads=None,
    ):
        """States that enter the output projection.

        Args:
            prev_output_tokens (Long[B, T])
            encoder_out (dict): the encoder's output.
            incremental_state (dict, optional): fairseq's cache.
            full_context_alignment (bool): let each position see the whole target.
            alignment_layer (int, optional): return this layer's attention weights.
            alignment_heads (int, optional): averaged over so many heads only.

        Returns:
            tuple: Float[B, T, D] and a dict with ``attn`` (a list of one
            Float[B, T, S] or None) and ``inner_states`` (Float[T, B, D] each); where there
            are heads that look ahead, ``lookahead`` (Float[B, T, K, D]).
        """
        if alignment_layer is None and self.need_attn and not self.training:
            alignment_layer = self.num_layers - 1
        x, padding_mask = self.forward_embedding(prev_output_tokens, incremental_state)
        if incremental_state is not None:
            cache = self._cache(encoder_out, incremental_state, len(x))
            return self._next_features(x, cache, alignment_layer, alignment_heads)

        memory, memory_allowed = memory_of(encoder_out)
        rows = sentence_of_row(encoder_out)
        if rows is not None:
            memory = memory.index_select(0, rows)
            if memory_allowed is not None:
                memory_allowed = memory_allowed.index_select(0, rows)
        geometry = self._geometry(padding_mask, full_context_alignment)
        memory_geometry = Full(memory_allowed)
        attn, inner_states = None, [x.transpose(0, 1)]
        for index, layer in enumerate(self.layers):
            need_weights = index == alignment_layer
            x, weights = layer(
                x, memory, geometry, memory_geometry, need_weights=need_weights
            )
            inner_states.append(x.transpose(0, 1))
            if weights is not None:
                attn = weights[:, :alignment_heads].mean(1)
        if self.layer_norm is not None:
            x = self.layer_norm(x)
        extra = {"attn": [attn], "inner_states": inner_states}
        if self.lookahead is not None:
            extra["lookahead"] = self.lookahead(x)
        return x, extra

    def _next_features(self, x, cache, alignment_layer, alignment_heads):
        """As :meth:`extract_features`, of the newest position Float[N, 1, D]."""
        entering = x.transpose(0, 1)
        x, weights = cache.step(cache.enter(x), alignment_layer)
        x, attn = cache.leave(x), None
        if weights is not None:
            attn = cache.leave(weights[:, :alignment_heads].mean(1))
        return x, {"attn": [attn], "inner_states": [entering, x.transpose(0, 1)]}

    def _cache(self, encoder_out, incremental_state, num_rows):
        """The cache of a search: what it has put there, or else that of a beam search,
        made of the encoder's output at the first step."""
        cache = self.get_incremental_state(incremental_state, "cache")
        if cache is None:
            memory, allowed = memory_of(encoder_out)
            rows = sentence_of_row(encoder_out)
            cache = DecodingCache(memory, allowed, rows, self.num_layers)
            self._begin(cache)
            self.set_incremental_state(incremental_state, "cache", cache)
        if cache.num_rows != num_rows:
            raise ValueError(
                f"the cache holds {cache.num_rows} hypotheses, the batch {num_rows}: "
                "re-order the cache before the batch changes"
            )
        return cache

    def reorder_incremental_state_scripting(self, incremental_state, new_order):
        """fairseq's entry point: one re-ordering for all layers.

        Args:
            incremental_state (dict): fairseq's.
            new_order (Long[N']): row i of the cache becomes its row ``new_order[i]``.
        """
        cache = self.get_incremental_state(incremental_state, "cache")
        if cache is not None:
            cache.reorder(new_order)

    reorder_incremental_state = reorder_incremental_state_scripting

    def _geometry(self, padding_mask, full_context):
        """Which targets a target sees.

        Padding behind a target is never seen by what comes before it, so only
        padding in front needs a mask.
        """
        if not full_context and not padding_mask[:, 0].any():
            return Causal()
        length = padding_mask.shape[1]
        allowed = torch.ones(length, length, dtype=torch.bool, device=padding_mask.device)
        if not full_context:
            allowed = allowed.tril()
        own = torch.eye(length, dtype=torch.bool, device=padding_mask.device)
        allowed = (allowed & ~padding_mask[:, None, :]) | own
        return Full(allowed[:, None], padding_mask)
