"""All options of a decoder."""

from dataclasses import dataclass

from fairseq.dataclass import ChoiceEnum
from omegaconf import II

from ...modules.attention import ATTENTIONS
from ...modules.embedders import TOKEN_EMBEDDERS
from ...modules.fusion import FUSIONS
from .attention import FusedAttentionOptions, attention_option
from .embedders import check_table
from .fusions import check_msc
from .groups import option
from .layers import LayerOptions, check_heads
from .one_hot import OneHotOutputOptions, check_one_hot

# What can see the past alone.
_CAUSAL_FUSIONS = [name for name, fusion in FUSIONS.items() if fusion.place == "within"]


@dataclass
class DecoderOptions(OneHotOutputOptions, FusedAttentionOptions, LayerOptions):
    """Names and meanings are those of ``transformer`` where it has them."""

    decoder_embedder: ChoiceEnum(list(TOKEN_EMBEDDERS)) = option(
        "dense", "how target symbols become states, and states become symbols"
    )
    decoder_fusion: ChoiceEnum(["none", *_CAUSAL_FUSIONS]) = option(
        "none", "how every decoder layer fuses a target state with those before it"
    )
    decoder_embed_dim: int = option(512, "decoder width")
    decoder_ffn_embed_dim: int = option(2048, "decoder FFN width")
    decoder_layers: int = option(6, "decoder layers")
    decoder_attention_heads: int = option(8, "decoder attention heads")
    decoder_attention: ChoiceEnum(list(ATTENTIONS)) = attention_option(
        "attention of decoder layers to the symbols before"
    )
    cross_attention: ChoiceEnum(list(ATTENTIONS)) = attention_option(
        "attention of decoder layers to the encoder"
    )
    decoder_normalize_before: bool = option(False, "pre-norm decoder layers")
    decoder_learned_pos: bool = option(False, "learned target positions")
    decoder_layerdrop: float = option(0.0, "probability of skipping a decoder layer")
    share_decoder_input_output_embed: bool = option(
        False, "one table for the decoder's input and output"
    )
    max_target_positions: int = II("task.max_target_positions")

    @staticmethod
    def check_group(options, dictionary):
        check_heads("decoder", options)
        if options.decoder_layers < 1:
            raise ValueError(
                f"--decoder-layers {options.decoder_layers} must be at least 1"
            )
        if options.decoder_embedder == "one-hot":
            check_one_hot("decoder", options.decoder_embed_dim, dictionary)
        if options.decoder_fusion == "msc":
            check_msc("decoder", options)
        if options.share_decoder_input_output_embed:
            check_table("decoder", options, "--share-decoder-input-output-embed")
