"""Layers of a model: its options, as attention and layers read them."""

from functools import partial

from fairseq.distributed import fsdp_wrap
from fairseq.modules.checkpoint_activations import checkpoint_wrapper

from ..modules.attention import ATTENTIONS
from ..modules.transformer_layer import DecoderLayer, EncoderLayer


def build_encoder_layer(cfg, context=None):
    """A layer of an encoder, also one within words.

    Args:
        cfg (TransformerConfig)
        context (callable, optional): see ``TransformerLayer``.

    Returns:
        nn.Module
    """
    side = cfg.encoder
    attention = attention_of(cfg, side, side.attention)
    layer = EncoderLayer(attention, **_shape(cfg, side), context=context)
    return wrap_layer(layer, cfg)


def build_decoder_layer(cfg, context=None):
    """A layer of a decoder.

    Args:
        cfg (TransformerConfig)
        context (callable, optional): see ``TransformerLayer``.

    Returns:
        nn.Module
    """
    side = cfg.decoder
    layer = DecoderLayer(
        attention_of(cfg, side, side.attention),
        attention_of(cfg, side, cfg.cross_attention, kdim=cfg.encoder.embed_dim),
        **_shape(cfg, side),
        context=context,
    )
    return wrap_layer(layer, cfg)


def attention_of(cfg, side, name, kdim=None):
    """What makes the attention of a layer.

    Args:
        cfg (TransformerConfig): has the options of fused attention too.
        side (EncDecBaseConfig): of the layer.
        name (str): of ``ATTENTIONS``.
        kdim (int, optional): width of keys and values where it is not that of the side.

    Returns:
        callable: without arguments; returns a ``Branch`` or ``BranchedAttention``.
    """
    return partial(
        *(ATTENTIONS[name](cfg), side.embed_dim, side.attention_heads),
        kdim=kdim,
        dropout=cfg.attention_dropout,
    )


def _shape(cfg, side):
    """Arguments of a layer that has nothing to do with attention."""
    return {
        "dim": side.embed_dim,
        "ffn_dim": side.ffn_embed_dim,
        "dropout": cfg.dropout,
        "activation_dropout": cfg.activation_dropout,
        "activation_fn": cfg.activation_fn,
        "normalize_before": side.normalize_before,
    }


def wrap_layer(layer, cfg):
    """``layer``, checkpointed and sharded as ``cfg`` asks, as fairseq does it.

    Args:
        layer (nn.Module)
        cfg (TransformerConfig)

    Returns:
        nn.Module
    """
    if cfg.checkpoint_activations:
        layer = checkpoint_wrapper(layer, offload_to_cpu=cfg.offload_activations)
    # A checkpointed layer is always sharded, whatever its size.
    min_params = 0 if cfg.checkpoint_activations else cfg.min_params_to_wrap
    return fsdp_wrap(layer, min_num_params=min_params)
