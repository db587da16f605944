"""Activation checkpointing and FSDP around a layer, as fairseq does it."""

from fairseq.distributed import fsdp_wrap
from fairseq.modules.checkpoint_activations import checkpoint_wrapper


def wrap_layer(layer, cfg):
    """``layer``, checkpointed and sharded as ``cfg`` asks.

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
