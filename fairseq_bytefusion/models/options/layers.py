"""The options of layers, whichever side they are on."""

from dataclasses import dataclass

from fairseq import utils
from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from fairseq.models.transformer.transformer_config import DEFAULT_MIN_PARAMS_TO_WRAP

from .groups import option


@dataclass
class CoreLayerOptions(FairseqDataclass):
    """What any layer has; names are those of ``transformer``."""

    activation_fn: ChoiceEnum(utils.get_available_activation_fns()) = option(
        "relu", "activation of the FFN"
    )
    dropout: float = option(0.1, "dropout on states and on each block's output")
    attention_dropout: float = option(0.0, "dropout on attention weights")
    activation_dropout: float = option(0.0, "dropout after the FFN's activation")


@dataclass
class LayerOptions(CoreLayerOptions):
    """What encoder and decoder have in common; names are those of ``transformer``."""

    no_scale_embedding: bool = option(False, "do not scale embeddings by sqrt(dim)")
    no_token_positional_embeddings: bool = option(False, "no positions at all")
    layernorm_embedding: bool = option(False, "LayerNorm on embeddings + positions")
    checkpoint_activations: bool = option(
        False, "recompute activations in the backward pass, to save memory"
    )
    offload_activations: bool = option(
        False, "checkpoint activations and keep them in CPU memory"
    )
    min_params_to_wrap: int = option(
        DEFAULT_MIN_PARAMS_TO_WRAP, "FSDP wraps layers of at least so many parameters"
    )


def check_heads(side, options):
    """Raise ValueError where the heads of a side (str) do not divide its width."""
    dim = getattr(options, f"{side}_embed_dim")
    heads = getattr(options, f"{side}_attention_heads")
    if dim % heads:
        raise ValueError(
            f"--{side}-embed-dim {dim} is not a multiple of --{side}-attention-heads "
            f"{heads}: change either"
        )
