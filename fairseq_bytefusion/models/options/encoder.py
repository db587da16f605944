"""All options of an encoder, enough to build one alone."""

from dataclasses import dataclass

from fairseq.dataclass import ChoiceEnum
from omegaconf import II

from ...modules.attention import ATTENTIONS
from .attention import FusedAttentionOptions, attention_option
from .embedders import EmbedderOptions
from .fusions import FusionOptions
from .groups import option
from .layers import LayerOptions, check_heads


@dataclass
class EncoderOptions(EmbedderOptions, FusionOptions, FusedAttentionOptions, LayerOptions):
    """Names and meanings are those of ``transformer`` where it has them."""

    encoder_embed_dim: int = option(512, "encoder width")
    encoder_ffn_embed_dim: int = option(2048, "encoder FFN width")
    encoder_layers: int = option(6, "encoder layers, all of them")
    encoder_attention_heads: int = option(8, "encoder attention heads")
    encoder_attention: ChoiceEnum(list(ATTENTIONS)) = attention_option(
        "attention of encoder layers"
    )
    encoder_normalize_before: bool = option(False, "pre-norm encoder layers")
    encoder_learned_pos: bool = option(False, "learned source positions")
    encoder_layerdrop: float = option(0.0, "probability of skipping an encoder layer")
    max_source_positions: int = II("task.max_source_positions")

    @staticmethod
    def check_group(options, dictionary):
        check_heads("encoder", options)
        if options.encoder_attention != "softmax" and not options.encoder_layers:
            raise ValueError(
                f"--encoder-attention {options.encoder_attention} does nothing with "
                "--encoder-layers 0: raise that or drop it"
            )
