"""The encoder: embedder -> positions -> shallow layers -> fusion -> deep layers.

In shapes, T counts tokens and S what the embedder makes of them: S = T, or words.
"""

from fairseq.models.transformer import TransformerEncoderBase

from ..modules.attention import Full
from ..modules.freezable import Freezable
from .encoder_rows import LazyReordering
from .layers import build_encoder_layer


class ByteTransformerEncoder(Freezable, LazyReordering, TransformerEncoderBase):
    """Transformer encoder over the states of an embedder.

    Args:
        cfg (TransformerConfig)
        dictionary (fairseq.data.Dictionary)
        embedder (nn.Module): see ``modules.embedders``.
        fusion (nn.Module, optional): see ``modules.fusion``.
        shallow_layers (int): how many of the layers come before the fusion.
        contexts (sequence of callables): make what stands within the first layers.

    Source: Vaswani et al. 2017, section 3; Sreedhar et al. 2023, section 3.
    """

    def __init__(
        self, cfg, dictionary, embedder, fusion=None, shallow_layers=0, contexts=()
    ):
        self._contexts = list(contexts)  # first: the base class builds the layers
        super().__init__(cfg, dictionary, embedder)
        self.fusion = fusion
        self.shallow_layers = shallow_layers

    def build_encoder_layer(self, cfg):
        return build_encoder_layer(cfg, self._contexts.pop(0) if self._contexts else None)

    def forward_embedding(self, src_tokens, token_embedding=None):
        """States that enter the first layer.

        Args:
            src_tokens (Long[B, T])
            token_embedding (Float[B, S, D], optional): replaces the embedder's.

        Returns:
            tuple: states with positions and dropout Float[B, S, D], states of the
            embedder alone Float[B, S, D], padding_mask Bool[B, S].
        """
        embedded, padding_mask = self.embed_tokens(src_tokens)
        if token_embedding is not None:
            embedded = token_embedding
        x = embedded
        if self.embed_positions is not None:
            # Positions count what is not padding_idx: words, where there are words.
            counted = (~padding_mask).long() + self.padding_idx
            x = x + self.embed_positions(counted)
        if self.layernorm_embedding is not None:
            x = self.layernorm_embedding(x)
        if self.embed_tokens.dropout_on_states:
            x = self.dropout_module(x)
        return x, embedded, padding_mask

    def forward(
        self,
        src_tokens,
        src_lengths=None,
        return_all_hiddens=False,
        token_embeddings=None,
    ):
        """Encode a batch; padding may be on either side.

        Args:
            src_tokens (Long[B, T])
            src_lengths (Long[B], optional): fairseq passes it; not needed.
            return_all_hiddens (bool): return each layer's states too.
            token_embeddings (Float[B, S, D], optional): replaces the embedder's.

        Returns:
            dict of lists, as in fairseq: ``encoder_out`` Float[S, B, D],
            ``encoder_padding_mask`` Bool[B, S], ``encoder_embedding``
            Float[B, S, D], ``encoder_states`` Float[S, B, D] each,
            ``src_lengths`` Int[B, 1]: tokens or words.
        """
        x, embedded, padding_mask = self.forward_embedding(src_tokens, token_embeddings)
        geometry = Full()
        if padding_mask.any():
            x = x.masked_fill(padding_mask.unsqueeze(-1), 0.0)
            # A row of nothing but padding sees itself: its softmax stays finite.
            allowed = ~padding_mask | padding_mask.all(1, keepdim=True)
            geometry = Full(allowed[:, None, None, :], padding_mask)

        states = [x]
        for index, layer in enumerate(self.layers):
            if self.fusion is not None and index == self.shallow_layers:
                x = self.fusion(x, src_tokens, padding_mask)
            x = layer(x, geometry)
            states.append(x)
        if self.fusion is not None and self.shallow_layers == self.num_layers:
            x = self.fusion(x, src_tokens, padding_mask)
        if self.layer_norm is not None:
            x = self.layer_norm(x)
        return {
            "encoder_out": [x.transpose(0, 1)],
            "encoder_padding_mask": [padding_mask],
            "encoder_embedding": [embedded],
            "encoder_states": (
                [s.transpose(0, 1) for s in states] if return_all_hiddens else []
            ),
            "src_tokens": [],
            "src_lengths": [(~padding_mask).sum(1, keepdim=True).int()],
        }
