"""All options of an encoder, enough to build one alone."""

from dataclasses import dataclass
from typing import Optional

from fairseq.dataclass import ChoiceEnum
from omegaconf import II

from ...modules.attention import ATTENTIONS
from .attention import FusedAttentionOptions, attention_option
from .embedders import EmbedderOptions
from .fusions import FusionOptions
from .groups import flag, option
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
    encoder_from: Optional[str] = option(
        None,
        "start from the encoder of this checkpoint, of a model of any task; a training "
        "that goes on does not read it",
    )
    freeze_encoder: bool = option(
        False, "keep the encoder that --encoder-from gave as it is"
    )

    @staticmethod
    def check_group(options, dictionary):
        check_heads("encoder", options)
        if options.encoder_attention != "softmax" and not options.encoder_layers:
            raise ValueError(
                f"--encoder-attention {options.encoder_attention} does nothing with "
                "--encoder-layers 0: raise that or drop it"
            )
        if options.freeze_encoder and not options.encoder_from:
            raise ValueError(
                "--freeze-encoder would keep random weights: give --encoder-from as well"
            )
        for name in ("composer_from", "char2subword_from"):
            if options.encoder_from and getattr(options, name):
                raise ValueError(
                    f"--encoder-from brings a word composer along, which {flag(name)} "
                    "would replace: drop either"
                )
