"""The options of the word composer ``hit``."""

from dataclasses import dataclass

from fairseq.dataclass import ChoiceEnum, FairseqDataclass

from ...modules.attention import ATTENTIONS
from ...modules.embedders.composers.hit import POOLINGS
from .composers import composer_of, composer_owner
from .groups import check_positive, option

_HIT = composer_owner(("hit",))


@dataclass
class HitOptions(FairseqDataclass):
    """Of ``hit``."""

    hit_layers: int = option(1, "hit: layers within words", _HIT)
    hit_heads: int = option(8, "hit: attention heads", _HIT)
    hit_attention: ChoiceEnum(list(ATTENTIONS)) = option(
        "fused", "hit: attention of its layers; fused has the options --fused-...", _HIT
    )
    hit_ffn_embed_dim: int = option(128, "hit: FFN width", _HIT)
    hit_pooling: ChoiceEnum(list(POOLINGS)) = option(
        "attention",
        "hit: how the states of a word's characters become one: by learned weights (Yang "
        "et al. 2016), their mean or their maximum",
        _HIT,
    )

    @staticmethod
    def check_group(options, dictionary):
        if composer_of(options) != "hit":
            return
        check_positive(options, ("hit_layers", "hit_heads", "hit_ffn_embed_dim"))
        dim = options.char_embed_dim
        if dim < 4 or dim % 2 or dim % options.hit_heads:
            raise ValueError(
                f"--char-embed-dim {dim} must be even, at least 4 and a multiple of "
                f"--hit-heads {options.hit_heads}: change either"
            )
