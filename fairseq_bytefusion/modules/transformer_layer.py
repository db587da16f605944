"""Encoder and decoder layers, batch first.

Parameters are named as in fairseq's layers. fairseq's own encoder layer does not
do: version 0.12.2 holds a second copy of its weights, which never gets a
gradient, for a fused path that current torch refuses.
"""

import torch.nn as nn
from fairseq import utils
from fairseq.modules import FairseqDropout, LayerNorm

from .attention.multihead import MultiheadAttention

# Copies of weights that fairseq 0.12.2 saves for its fused encoder path.
_FUSED_PATH_COPIES = [
    f"{layer}_{kind}"
    for layer in ("in_proj", "out_proj", "fc1", "fc2")
    for kind in ("weight", "bias")
]


class _FeedForward(nn.Module):
    """What encoder and decoder layers share: the FFN block and the residuals."""

    def __init__(
        self, dim, ffn_dim, dropout, activation_dropout, activation_fn, normalize_before
    ):
        super().__init__()
        name = type(self).__name__
        self.normalize_before = normalize_before
        self.dropout_module = FairseqDropout(dropout, module_name=name)
        self.activation_dropout_module = FairseqDropout(
            activation_dropout, module_name=name
        )
        self.activation_fn = utils.get_activation_fn(activation_fn)
        self.fc1 = nn.Linear(dim, ffn_dim)
        self.fc2 = nn.Linear(ffn_dim, dim)
        self.final_layer_norm = LayerNorm(dim)

    def residual_block(self, x, norm, function, dropout):
        """``x + dropout(function(x))``, normalised before or after."""
        residual = x
        if self.normalize_before:
            x = norm(x)
        x = residual + dropout(function(x))
        return x if self.normalize_before else norm(x)

    def feed_forward(self, x, linear=None):
        """The network itself; ``linear(module, x)`` applies its two layers."""
        linear = linear or (lambda module, x: module(x))
        x = self.activation_fn(linear(self.fc1, x))
        return linear(self.fc2, self.activation_dropout_module(x))


class EncoderLayer(_FeedForward):
    """Self-attention, then a feed-forward network, each with a residual.

    Args:
        dim (int): D.
        ffn_dim (int): inner width of the feed-forward network.
        num_heads (int): attention heads.
        dropout, attention_dropout, activation_dropout (float): probabilities.
        activation_fn (str): a name that fairseq knows.
        normalize_before (bool): pre-norm.

    Source: Vaswani et al. 2017, section 3.1.
    """

    attention_class = MultiheadAttention

    def __init__(
        self,
        dim,
        ffn_dim,
        num_heads,
        dropout=0.0,
        attention_dropout=0.0,
        activation_dropout=0.0,
        activation_fn="relu",
        normalize_before=False,
    ):
        super().__init__(
            dim, ffn_dim, dropout, activation_dropout, activation_fn, normalize_before
        )
        self.self_attn = self.attention_class(dim, num_heads, dropout=attention_dropout)
        self.self_attn_layer_norm = LayerNorm(dim)

    @classmethod
    def build(cls, options):
        """From the encoder's options in ``models.config``."""
        return cls(
            options.encoder_embed_dim,
            options.encoder_ffn_embed_dim,
            options.encoder_attention_heads,
            options.dropout,
            options.attention_dropout,
            options.activation_dropout,
            options.activation_fn,
            options.encoder_normalize_before,
        )

    def attend(self, x, allowed):
        return self.self_attn(x, x, allowed)[0]

    def forward(self, x, visible=None):
        """
        Args:
            x (Float[B, T, D])
            visible (Bool, broadcastable to [B, H, T, T], optional): True where a
                query may look.

        Returns:
            Float[B, T, D]
        """

        def attend(x):
            return self.attend(x, visible)

        x = self.residual_block(x, self.self_attn_layer_norm, attend, self.dropout_module)
        return self.residual_block(
            x, self.final_layer_norm, self.feed_forward, self.dropout_module
        )

    def upgrade_state_dict_named(self, state_dict, name):
        """Drop what fairseq 0.12.2 saves beside the layer's own weights."""
        for copy in _FUSED_PATH_COPIES:
            state_dict.pop(f"{name}.{copy}", None)


class DecoderLayer(_FeedForward):
    """Causal self-attention, cross-attention, feed-forward network.

    Args:
        encoder_dim (int): width of the encoder's states.
        dropout_on_output (bool): without, the layer's last dropout is left out
            (one-hot models: nothing may blank a dimension of the logits).
        others: as in :class:`EncoderLayer`.

    Source: Vaswani et al. 2017, section 3.1; ``dropout_on_output``: Shaham & Levy
    2021, section 3.
    """

    def __init__(
        self,
        dim,
        ffn_dim,
        num_heads,
        encoder_dim,
        dropout=0.0,
        attention_dropout=0.0,
        activation_dropout=0.0,
        activation_fn="relu",
        normalize_before=False,
        dropout_on_output=True,
    ):
        super().__init__(
            dim, ffn_dim, dropout, activation_dropout, activation_fn, normalize_before
        )
        self.dropout_on_output = dropout_on_output
        self.self_attn = MultiheadAttention(dim, num_heads, dropout=attention_dropout)
        self.self_attn_layer_norm = LayerNorm(dim)
        self.encoder_attn = MultiheadAttention(
            dim, num_heads, encoder_dim, attention_dropout, self_attention=False
        )
        self.encoder_attn_layer_norm = LayerNorm(dim)

    def forward(
        self,
        x,
        memory,
        memory_allowed=None,
        allowed=None,
        cache=None,
        need_weights=False,
    ):
        """
        Args:
            x (Float[B, T, D]): with a cache, T hypotheses of B sentences.
            memory (Float[B, S, E]): encoder states.
            memory_allowed (Bool, broadcastable to [B, H, T, S], optional)
            allowed (Bool, broadcastable to [B, H, T, T], optional): without, plain
                causal attention.
            cache (LayerCache, optional): what earlier steps left; x is the newest
                position alone then, and the cache says where it may look.
            need_weights (bool): return the cross-attention weights too.

        Returns:
            tuple: Float[B, T, D] and weights Float[B, H, T, S] or None.
        """
        weights = None

        def attend(x):
            if cache is not None:
                return self.self_attn.step(x, None, cache)[0]
            return self.self_attn(x, x, allowed, causal=allowed is None)[0]

        def attend_to_memory(x):
            nonlocal weights
            if cache is not None:
                x, weights = self.encoder_attn.step(x, memory, cache)
            else:
                x, weights = self.encoder_attn(
                    x, memory, memory_allowed, need_weights=need_weights
                )
            return x

        def feed_forward(x):
            return self.feed_forward(x, cache and cache.linear)

        drop = self.dropout_module
        x = self.residual_block(x, self.self_attn_layer_norm, attend, drop)
        x = self.residual_block(x, self.encoder_attn_layer_norm, attend_to_memory, drop)
        drop_output = drop if self.dropout_on_output else nn.Identity()
        x = self.residual_block(x, self.final_layer_norm, feed_forward, drop_output)
        return x, weights if need_weights else None
