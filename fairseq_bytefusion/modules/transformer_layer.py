"""Encoder and decoder layers, batch first.

They are given their attention, and at each call the geometry that says which keys a query
sees (:mod:`.attention`). Parameters are named as in fairseq's layers. fairseq's own encoder
layer does not do: version 0.12.2 holds a second copy of its weights, which never gets a
gradient, for a fused path that current torch refuses.
"""

import torch.nn as nn
from fairseq import utils
from fairseq.modules import FairseqDropout, LayerNorm

from ..compat.fairseq_checkpoints import drop_fused_path_copies


class TransformerLayer(nn.Module):
    """What encoder and decoder layers share: self-attention, FFN, residuals.

    The parts are made and registered in one order for good: a seed gives the weights it
    always gave, and the optimiser's state in a checkpoint goes by the order.

    Args:
        attention (callable): makes the attention of the layer to itself, a ``Branch`` or
            ``BranchedAttention``.
        dim (int): D.
        ffn_dim (int): inner width of the feed-forward network.
        dropout, activation_dropout (float): probabilities.
        activation_fn (str): a name that fairseq knows.
        normalize_before (bool): pre-norm.
        context (callable, optional): makes what the states pass before self-attention, see
            ``modules.fusion``; the residual passes it by.
    """

    def __init__(
        self,
        attention,
        dim,
        ffn_dim,
        *,
        dropout=0.0,
        activation_dropout=0.0,
        activation_fn="relu",
        normalize_before=False,
        context=None,
    ):
        super().__init__()
        name = type(self).__name__
        self.normalize_before = normalize_before
        self.dropout_module = FairseqDropout(dropout, module_name=name)
        self.activation_dropout_module = FairseqDropout(
            activation_dropout, module_name=name
        )
        self.activation_fn = utils.get_activation_fn(activation_fn)
        self.make_parts(attention, dim, ffn_dim)
        self.context = context and context()

    def make_parts(self, attention, dim, ffn_dim):
        """Set what has parameters: the feed-forward network, then the attention."""
        self.fc1 = nn.Linear(dim, ffn_dim)
        self.fc2 = nn.Linear(ffn_dim, dim)
        self.final_layer_norm = LayerNorm(dim)
        self.self_attn = attention()
        self.self_attn_layer_norm = LayerNorm(dim)

    def residual_block(self, x, norm, function, dropout):
        """``x + dropout(function(x))``, normalised before or after."""
        residual = x
        if self.normalize_before:
            x = norm(x)
        x = residual + dropout(function(x))
        return x if self.normalize_before else norm(x)

    def attend(self, x, geometry):
        """Self-attention of states, or of what their context makes of them."""
        if self.context is not None:
            x = self.context(x, geometry)
        return self.self_attn(x, x, geometry)[0]

    def feed_forward(self, x):
        """The network itself."""
        x = self.activation_fn(self.fc1(x))
        return self.fc2(self.activation_dropout_module(x))


class EncoderLayer(TransformerLayer):
    """Self-attention, then a feed-forward network, each with a residual.

    Takes the arguments of :class:`TransformerLayer`.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def forward(self, x, geometry):
        """
        Args:
            x (Float[B, T, D]; Float[N, D] within words)
            geometry (Geometry): which positions a position sees.

        Returns:
            Float: of the shape of ``x``.
        """

        def attend(x):
            return self.attend(x, geometry)

        x = self.residual_block(x, self.self_attn_layer_norm, attend, self.dropout_module)
        return self.residual_block(
            x, self.final_layer_norm, self.feed_forward, self.dropout_module
        )

    def upgrade_state_dict_named(self, state_dict, name):
        """Called by fairseq before it loads ``state_dict``."""
        drop_fused_path_copies(state_dict, name)


class DecoderLayer(TransformerLayer):
    """Self-attention, cross-attention, feed-forward network.

    Args:
        attention, dim, ffn_dim, others: as in :class:`TransformerLayer`.
        encoder_attention (callable): makes that to the encoder's states.
        dropout_on_output (bool): without, the layer's last dropout is left out
            (one-hot models: nothing may blank a dimension of the logits).

    Source: Vaswani et al. 2017, section 3.1; ``dropout_on_output``: Shaham & Levy
    2021, section 3.
    """

    def __init__(
        self,
        attention,
        encoder_attention,
        dim,
        ffn_dim,
        *,
        dropout_on_output=True,
        **others,
    ):
        super().__init__(attention, dim, ffn_dim, **others)
        self.dropout_on_output = dropout_on_output
        self.encoder_attn = encoder_attention()
        self.encoder_attn_layer_norm = LayerNorm(dim)

    def forward(self, x, memory, geometry, memory_geometry, *, need_weights=False):
        """
        Args:
            x (Float[B, T, D]): in a search, T hypotheses of B sentences.
            memory (Float[B, S, E]): encoder states.
            geometry, memory_geometry (Geometry): which positions of its own and of the
                encoder a position sees.
            need_weights (bool): return the cross-attention weights too.

        Returns:
            tuple: Float[B, T, D] and weights Float[B, H, T, S] or None.
        """
        weights = None

        def attend(x):
            return self.attend(x, geometry)

        def attend_to_memory(x):
            nonlocal weights
            x, weights = self.encoder_attn(x, memory, memory_geometry, need_weights)
            return x

        drop = self.dropout_module
        x = self.residual_block(x, self.self_attn_layer_norm, attend, drop)
        x = self.residual_block(x, self.encoder_attn_layer_norm, attend_to_memory, drop)
        drop_output = drop if self.dropout_on_output else nn.Identity()
        x = self.residual_block(x, self.final_layer_norm, self.feed_forward, drop_output)
        return x, weights if need_weights else None
