"""The options of ``byte_transformer``, and what they must agree on."""

from argparse import Namespace
from dataclasses import dataclass, field
from typing import Optional

from fairseq import utils
from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from fairseq.models.transformer.transformer_config import DEFAULT_MIN_PARAMS_TO_WRAP
from omegaconf import II

from ...modules.embedders import COMPOSERS, EMBEDDERS, TOKEN_EMBEDDERS
from ...modules.embedders.composers.char_cnn import PRESETS as CNN_PRESETS
from ...modules.embedders.composers.char_cnn import STYLES
from ...modules.embedders.mixture import MIXTURES
from ...modules.fusion import FUSIONS
from ...modules.fusion.ngram_conv import parse_kernels
from ...text.words import BOUNDARIES, MAX_CHARACTER
from .composers import check_composer, default_char_embed_dim


def _option(default, help):
    return field(default=default, metadata={"help": help})


_WHICH = (
    f"one a symbol ({', '.join(TOKEN_EMBEDDERS)}), one a word ({', '.join(COMPOSERS)}), or "
    "the latter with a table of the words in DATA/dict.word.LANG.txt (mixture)"
)


@dataclass
class ByteTransformerConfig(FairseqDataclass):
    """One flat field a flag; names and meanings are those of ``transformer``."""

    encoder_embedder: ChoiceEnum(list(EMBEDDERS)) = _option(
        "dense", "how source symbols become states: " + _WHICH
    )
    decoder_embedder: ChoiceEnum(list(TOKEN_EMBEDDERS)) = _option(
        "dense", "how target symbols become states, and states become symbols"
    )
    mixture: ChoiceEnum(list(MIXTURES)) = _option(
        "sum",
        "mixture: composed vector plus table row, a linear map of both, or (hybrid) the "
        "row for known words and the composed vector for all others",
    )
    mixture_composer: ChoiceEnum(list(COMPOSERS)) = _option(
        "char2subword", "mixture: the word composer in it"
    )
    max_word_chars: int = _option(
        50, "word composers: longest word in symbols; longer ones are cut"
    )
    char_embed_dim: Optional[int] = _option(
        None,
        "word composers: width of a symbol's embedding, for char2subword also of its "
        "layers; default: 256 char2subword, 15 or the preset's char-cnn, 50 char-rnn",
    )
    char2subword_layers: int = _option(2, "char2subword: layers")
    char2subword_heads: int = _option(4, "char2subword: attention heads")
    char2subword_from: Optional[str] = _option(
        None,
        "char2subword: start from this checkpoint of --task embedding_approximation; with "
        "--mixture hybrid the rows of its table come along",
    )
    freeze_composer: bool = _option(
        False, "keep what --char2subword-from gave the word composer as it is"
    )
    char_cnn_filters: str = _option(
        "kim-large",
        f"char-cnn: {', '.join(CNN_PRESETS)} or width:number,width:number...",
    )
    char_cnn_style: ChoiceEnum(list(STYLES)) = _option(
        "kim", "char-cnn: as in Kim et al. 2015 or as fairseq's CharacterTokenEmbedder"
    )
    char_rnn_hidden_dim: int = _option(150, "char-rnn: width of each direction's state")
    encoder_fusion: ChoiceEnum(["none", *FUSIONS]) = _option(
        "none", "how source states are fused over neighbouring symbols"
    )
    fusion_layers: Optional[int] = _option(
        None,
        "encoder layers before (ncf) or inside (wsf) the fusion; default: two thirds of "
        "--encoder-layers, at most 4",
    )
    ncf_kernels: str = _option("1,2,3,4", "ncf: window sizes, comma-separated")
    ncf_weights: ChoiceEnum(["free", "softmax"]) = _option(
        "free", "ncf: free or convex weights of the window sizes"
    )
    ncf_unigram: ChoiceEnum(["conv", "identity"]) = _option(
        "conv", "ncf: what window size 1 contributes"
    )
    wsf_boundary: ChoiceEnum(list(BOUNDARIES)) = _option(
        "space", "wsf: words begin at whitespace, or also where the script changes"
    )
    wsf_max_word: int = _option(
        64,
        "wsf: longest word N in symbols, at least 4; longer ones are split at characters "
        "into pieces of N-3 to N bytes",
    )
    encoder_embed_dim: int = _option(512, "encoder width")
    encoder_ffn_embed_dim: int = _option(2048, "encoder FFN width")
    encoder_layers: int = _option(6, "encoder layers, all of them")
    encoder_attention_heads: int = _option(8, "encoder attention heads")
    encoder_normalize_before: bool = _option(False, "pre-norm encoder layers")
    encoder_learned_pos: bool = _option(False, "learned source positions")
    encoder_layerdrop: float = _option(0.0, "probability of skipping an encoder layer")
    decoder_embed_dim: int = _option(512, "decoder width")
    decoder_ffn_embed_dim: int = _option(2048, "decoder FFN width")
    decoder_layers: int = _option(6, "decoder layers")
    decoder_attention_heads: int = _option(8, "decoder attention heads")
    decoder_normalize_before: bool = _option(False, "pre-norm decoder layers")
    decoder_learned_pos: bool = _option(False, "learned target positions")
    decoder_layerdrop: float = _option(0.0, "probability of skipping a decoder layer")
    activation_fn: ChoiceEnum(utils.get_available_activation_fns()) = _option(
        "relu", "activation of the FFN"
    )
    dropout: float = _option(0.1, "dropout on states and on each block's output")
    attention_dropout: float = _option(0.0, "dropout on attention weights")
    activation_dropout: float = _option(0.0, "dropout after the FFN's activation")
    share_decoder_input_output_embed: bool = _option(
        False, "one table for the decoder's input and output"
    )
    share_all_embeddings: bool = _option(
        False, "one table for the encoder's input, the decoder's input and output"
    )
    no_scale_embedding: bool = _option(False, "do not scale embeddings by sqrt(dim)")
    no_token_positional_embeddings: bool = _option(False, "no positions at all")
    layernorm_embedding: bool = _option(False, "LayerNorm on embeddings + positions")
    checkpoint_activations: bool = _option(
        False, "recompute activations in the backward pass, to save memory"
    )
    offload_activations: bool = _option(
        False, "checkpoint activations and keep them in CPU memory"
    )
    min_params_to_wrap: int = _option(
        DEFAULT_MIN_PARAMS_TO_WRAP, "FSDP wraps layers of at least so many parameters"
    )
    max_source_positions: int = II("task.max_source_positions")
    max_target_positions: int = II("task.max_target_positions")


def complete(cfg):
    """A flat copy of ``cfg`` that has every option of this version.

    Options that ``cfg`` lacks, from a checkpoint older than them, have their default.

    Args:
        cfg (ByteTransformerConfig, DictConfig or Namespace)

    Returns:
        argparse.Namespace
    """
    names = [n for n in ByteTransformerConfig.__dataclass_fields__ if not n.startswith("_")]
    defaults = ByteTransformerConfig()
    full = Namespace(**{n: getattr(cfg, n, getattr(defaults, n)) for n in names})
    if full.fusion_layers is None and full.encoder_fusion != "none":
        full.fusion_layers = min(4, round(2 * full.encoder_layers / 3))
    if full.char_embed_dim is None:
        full.char_embed_dim = default_char_embed_dim(full)
    return full


def check_config(cfg, src_dict, tgt_dict):
    """Refuse what cannot be built or would do nothing, naming the flag to change.

    Args:
        cfg (Namespace): see :func:`complete`.
        src_dict, tgt_dict (fairseq.data.Dictionary)

    Raises:
        ValueError
    """
    for side, dictionary in (("encoder", src_dict), ("decoder", tgt_dict)):
        dim = getattr(cfg, f"{side}_embed_dim")
        heads = getattr(cfg, f"{side}_attention_heads")
        if dim % heads:
            raise ValueError(
                f"--{side}-embed-dim {dim} is not a multiple of "
                f"--{side}-attention-heads {heads}: change either"
            )
        if getattr(cfg, f"{side}_embedder") == "one-hot":
            _check_one_hot(cfg, side, dim, len(dictionary))
    if cfg.decoder_layers < 1:
        raise ValueError(f"--decoder-layers {cfg.decoder_layers} must be at least 1")
    check_composer(cfg, ByteTransformerConfig())
    _check_fusion(cfg)
    _check_words(cfg, src_dict)
    if cfg.share_all_embeddings:
        if cfg.encoder_embedder != "dense":
            raise ValueError(
                "--share-all-embeddings needs an embedding table: with "
                f"--encoder-embedder {cfg.encoder_embedder} drop that flag"
            )
        if src_dict != tgt_dict:
            raise ValueError(
                "--share-all-embeddings needs one dictionary for both sides: drop "
                "that flag, or choose the same unit and vocabulary for both, without "
                "--source-tag"
            )
        if cfg.encoder_embed_dim != cfg.decoder_embed_dim:
            raise ValueError(
                "--share-all-embeddings needs --encoder-embed-dim "
                f"({cfg.encoder_embed_dim}) equal to --decoder-embed-dim "
                f"({cfg.decoder_embed_dim})"
            )


def _check_words(cfg, src_dict):
    """Refuse what cuts symbols into words where a symbol holds space and letters."""
    if getattr(src_dict, "spaces_apart", True):
        return
    flags = []
    if cfg.encoder_embedder not in TOKEN_EMBEDDERS:
        flags.append(f"--encoder-embedder {cfg.encoder_embedder}")
    if cfg.encoder_fusion == "wsf":
        flags.append("--encoder-fusion wsf")
    if flags:
        raise ValueError(
            f"{flags[0]} cuts sentences into words and words into characters, and a "
            f"symbol of --source-unit {src_dict.unit} may be several of these: choose "
            "another source unit, or drop that flag"
        )


def _check_fusion(cfg):
    defaults = ByteTransformerConfig()
    for fusion in FUSIONS:
        for name in (n for n in vars(cfg) if n.startswith(f"{fusion}_")):
            value = getattr(cfg, name)
            if cfg.encoder_fusion != fusion and value != getattr(defaults, name):
                raise ValueError(
                    f"--{name.replace('_', '-')} {value} does nothing without "
                    f"--encoder-fusion {fusion}: add that or drop it"
                )
    if cfg.encoder_fusion == "none":
        if cfg.fusion_layers is not None:
            raise ValueError(
                f"--fusion-layers {cfg.fusion_layers} does nothing without "
                "--encoder-fusion: add that or drop it"
            )
        return
    if cfg.encoder_embedder not in TOKEN_EMBEDDERS:
        raise ValueError(
            f"--encoder-fusion {cfg.encoder_fusion} fuses states of symbols, and "
            f"--encoder-embedder {cfg.encoder_embedder} gives one a word: drop either"
        )
    if not 0 <= cfg.fusion_layers <= cfg.encoder_layers:
        raise ValueError(
            f"--fusion-layers {cfg.fusion_layers} must lie between 0 and --encoder-layers "
            f"{cfg.encoder_layers}"
        )
    if cfg.encoder_layerdrop > 0:
        raise ValueError(
            f"--encoder-fusion {cfg.encoder_fusion} stands at a fixed layer: drop "
            f"--encoder-layerdrop {cfg.encoder_layerdrop:g}"
        )
    if cfg.encoder_fusion == "wsf" and cfg.wsf_max_word < MAX_CHARACTER:
        raise ValueError(
            f"--wsf-max-word {cfg.wsf_max_word} leaves no room for a character of "
            f"{MAX_CHARACTER} bytes: raise it"
        )
    if cfg.encoder_fusion == "ncf":
        try:
            kernels = parse_kernels(cfg.ncf_kernels)
        except ValueError as error:
            raise ValueError(
                f"--ncf-kernels {cfg.ncf_kernels!r} must be a list such as 1,2,3,4: {error}"
            ) from error
        if cfg.ncf_unigram == "identity" and 1 not in kernels:
            raise ValueError(
                "--ncf-unigram identity stands for window size 1, which --ncf-kernels "
                f"{cfg.ncf_kernels} lacks: add it or drop that flag"
            )


def _check_one_hot(cfg, side, dim, num_symbols):
    if dim < num_symbols:
        raise ValueError(
            f"--{side}-embedder one-hot needs a dimension for each of the "
            f"{num_symbols} symbols: raise --{side}-embed-dim from {dim} to at least "
            f"{num_symbols}"
        )
    shared = ["share_all_embeddings"]
    if side == "decoder":
        shared.append("share_decoder_input_output_embed")
    for flag in shared:
        if getattr(cfg, flag):
            raise ValueError(
                f"--{side}-embedder one-hot has no embedding table to share: drop "
                f"--{flag.replace('_', '-')}"
            )
