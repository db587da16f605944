"""The options of taggers and classifiers: an encoder's, and what stands behind it."""

from dataclasses import dataclass
from functools import partial

from fairseq.dataclass import ChoiceEnum, FairseqDataclass

from ...modules.embedders import EMBEDDERS
from ...modules.heads import HEADS
from ...modules.word_pooling import POOLINGS
from .encoder import EncoderOptions
from .groups import Owner, flag, option
from .pretrained import PretrainedOptions

ENCODER_TYPES = ("transformer", "lstm", "pretrained")
# What other encoders have no use for; widths and heads may come from --arch.
_TRANSFORMER_ONLY = {
    "encoder_attention": "softmax",
    "encoder_normalize_before": False,
    "encoder_learned_pos": False,
    "encoder_layerdrop": 0.0,
    "no_token_positional_embeddings": False,
    "attention_dropout": 0.0,
    "activation_dropout": 0.0,
    "activation_fn": "relu",
    "checkpoint_activations": False,
    "offload_activations": False,
}
# What is as the directory of a pre-trained encoder has it.
_OURS_ONLY = {
    **{n: v for n, v in _TRANSFORMER_ONLY.items() if n != "attention_dropout"},
    "layernorm_embedding": False,
    "no_scale_embedding": False,
    "word_pooling": "mean",
}


def _chosen(options):
    return set() if EMBEDDERS[options.encoder_embedder].composes_words else {"symbols"}


def _complaint(given, names, options):
    return (
        f"{given} does nothing with --encoder-embedder {options.encoder_embedder}, which "
        "gives a state a word: drop either"
    )


_SYMBOLS = partial(Owner, chosen=_chosen, complaint=_complaint)(("symbols",))


@dataclass
class WordOptions(FairseqDataclass):
    """How an encoder comes to states of words."""

    encoder_type: ChoiceEnum(list(ENCODER_TYPES)) = option(
        "transformer",
        "layers over the embedder: transformer, a bidirectional LSTM over words "
        "(--encoder-layers, --encoder-embed-dim), or those of a pre-trained encoder "
        "(--pretrained), whose sizes are its own",
    )
    word_pooling: ChoiceEnum(list(POOLINGS)) = option(
        "mean", "how states of symbols become one a word", _SYMBOLS
    )

    @staticmethod
    def check_group(options, dictionary):
        if options.encoder_type == "transformer":
            return
        if options.encoder_fusion != "none":
            raise ValueError(
                f"--encoder-fusion {options.encoder_fusion} stands between layers of a "
                f"Transformer: with --encoder-type {options.encoder_type} drop that flag"
            )
        is_lstm = options.encoder_type == "lstm"
        _refuse_unread(options, _TRANSFORMER_ONLY if is_lstm else _OURS_ONLY)
        if not is_lstm:
            return
        if options.encoder_layers < 1:
            raise ValueError(
                f"--encoder-layers {options.encoder_layers} must be at least 1 with "
                "--encoder-type lstm"
            )
        if options.encoder_embed_dim % 2:
            raise ValueError(
                f"--encoder-embed-dim {options.encoder_embed_dim} must be even with "
                "--encoder-type lstm: half of it is for each direction"
            )


def _refuse_unread(options, defaults):
    for name, default in defaults.items():
        value = getattr(options, name)
        if str(value) != str(default):
            given = flag(name) if isinstance(value, bool) else f"{flag(name)} {value}"
            raise ValueError(
                f"{given} does nothing with --encoder-type {options.encoder_type}: drop "
                "either"
            )


@dataclass
class LabellingOptions(WordOptions, PretrainedOptions, EncoderOptions):
    """Of any model that labels words or sentences."""


@dataclass
class ByteClassifierConfig(LabellingOptions):
    """One flat field a flag."""


@dataclass
class ByteTaggerConfig(LabellingOptions):
    """One flat field a flag."""

    tag_decoder: ChoiceEnum(list(HEADS)) = option(
        "softmax",
        "labels of words each alone, or together by a conditional random field (crf, needs "
        "pytorch-crf)",
    )
