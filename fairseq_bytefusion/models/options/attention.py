"""The options of attention, on either side and between them."""

from dataclasses import dataclass

from fairseq.dataclass import ChoiceEnum, FairseqDataclass

from ...modules.attention.fused import ACTIVATIONS, REDUCTIONS
from ...modules.attention.gates import GATES
from .composers import composer_of
from .groups import Owner, option

# Of the encoder, of the decoder to itself, and of the decoder to the encoder.
_CHOICES = ("encoder_attention", "decoder_attention", "cross_attention")


def _chosen(options):
    within_words = {options.hit_attention} if composer_of(options) == "hit" else set()
    return within_words | {getattr(options, name, None) for name in _CHOICES}


def _complaint(given, names, options):
    return (
        f"{given} does nothing without fused attention: add --encoder-attention fused, "
        "--decoder-attention fused or --cross-attention fused, choose the word composer "
        "hit, or drop it"
    )


_FUSED = Owner(("fused",), _chosen, _complaint)


def attention_option(whose):
    """The field that chooses an attention; ``whose`` (str) begins its help."""
    return option("softmax", f"{whose}: softmax, or softmax and outer products (fused)")


@dataclass
class FusedAttentionOptions(FairseqDataclass):
    """Of ``fused`` attention, wherever it is."""

    fused_reduce: ChoiceEnum(list(REDUCTIONS)) = option(
        "diag",
        "fused: what becomes of a head's matrix of outer products: its diagonal, or a "
        "linear map of it",
        _FUSED,
    )
    fused_activation: ChoiceEnum(list(ACTIVATIONS)) = option(
        "tanh",
        "fused: what products of a query and a key pass, tanh, or (released code of "
        "Sengupta et al. 2021) a softmax over the keys",
        _FUSED,
    )
    fused_scale: ChoiceEnum(["true", "false"]) = option(
        "true",
        "fused: whether these products are divided by the root of a head's width; the "
        "released code does not",
        _FUSED,
    )
    fused_gate: ChoiceEnum(list(GATES)) = option(
        "token",
        "fused: what weighs the two branches: two numbers a layer, a linear map of each "
        "state, or (released code) sigmoids of what the branches return",
        _FUSED,
    )
