"""The options of fusions."""

from dataclasses import dataclass
from functools import partial
from typing import Optional

from fairseq.dataclass import ChoiceEnum, FairseqDataclass

from ...modules.embedders import TOKEN_EMBEDDERS
from ...modules.fusion import FUSIONS
from ...modules.fusion.multi_scale import parse_kernels as parse_scales
from ...modules.fusion.ngram_conv import parse_kernels
from ...text.words import BOUNDARIES, MAX_CHARACTER
from .embedders import refuse_unclear_words
from .groups import Owner, option


def _chosen(options):
    return {options.encoder_fusion}


def _chosen_by_any_side(options):
    return {options.encoder_fusion, getattr(options, "decoder_fusion", None)}


def _complaint(given, names, options):
    needed = f" {names[0]}" if len(names) == 1 else ""
    return f"{given} does nothing without --encoder-fusion{needed}: add that or drop it"


def _complaint_of_any_side(given, names, options):
    flags = " or ".join(f"--{side}-fusion {names[0]}" for side in ("encoder", "decoder"))
    return f"{given} does nothing without {flags}: add one or drop it"


def check_msc(side, options):
    """Raise ValueError where ``--msc-kernels`` do not fit the width of a side."""
    dim = getattr(options, f"{side}_embed_dim")
    try:
        parse_scales(options.msc_kernels, dim)
    except ValueError as error:
        raise ValueError(
            f"--msc-kernels {options.msc_kernels!r} must be a list such as "
            f"0,0,1,1,3,3,5,5 that fits --{side}-embed-dim {dim}: {error}"
        ) from error


_owner = partial(Owner, chosen=_chosen, complaint=_complaint)
_ANY = _owner(tuple(FUSIONS))
_NCF = _owner(("ncf",))
_WSF = _owner(("wsf",))
_MSC = Owner(("msc",), _chosen_by_any_side, _complaint_of_any_side)


@dataclass
class NcfOptions(FairseqDataclass):
    """Of ``ncf``."""

    ncf_kernels: str = option("1,2,3,4", "ncf: window sizes, comma-separated", _NCF)
    ncf_weights: ChoiceEnum(["free", "softmax"]) = option(
        "free", "ncf: free or convex weights of the window sizes", _NCF
    )
    ncf_unigram: ChoiceEnum(["conv", "identity"]) = option(
        "conv", "ncf: what window size 1 contributes", _NCF
    )

    @staticmethod
    def check_group(options, dictionary):
        if options.encoder_fusion != "ncf":
            return
        try:
            kernels = parse_kernels(options.ncf_kernels)
        except ValueError as error:
            raise ValueError(
                f"--ncf-kernels {options.ncf_kernels!r} must be a list such as 1,2,3,4: "
                f"{error}"
            ) from error
        if options.ncf_unigram == "identity" and 1 not in kernels:
            raise ValueError(
                "--ncf-unigram identity stands for window size 1, which --ncf-kernels "
                f"{options.ncf_kernels} lacks: add it or drop that flag"
            )


@dataclass
class WsfOptions(FairseqDataclass):
    """Of ``wsf``."""

    wsf_boundary: ChoiceEnum(list(BOUNDARIES)) = option(
        "space", "wsf: words begin at whitespace, or also where the script changes", _WSF
    )
    wsf_max_word: int = option(
        64,
        "wsf: longest word N in symbols, at least 4; longer ones are split at characters "
        "into pieces of N-3 to N bytes",
        _WSF,
    )

    @staticmethod
    def check_group(options, dictionary):
        if options.encoder_fusion != "wsf":
            return
        refuse_unclear_words("--encoder-fusion wsf", dictionary)
        if options.wsf_max_word < MAX_CHARACTER:
            raise ValueError(
                f"--wsf-max-word {options.wsf_max_word} leaves no room for a character of "
                f"{MAX_CHARACTER} bytes: raise it"
            )


@dataclass
class MscOptions(FairseqDataclass):
    """Of ``msc``."""

    msc_kernels: str = option(
        "0,0,1,1,3,3,5,5",
        "msc: convolution size of each group of dimensions, odd or 0 for none, "
        "comma-separated; their number divides the width",
        _MSC,
    )

    @staticmethod
    def check_group(options, dictionary):
        if options.encoder_fusion != "msc":
            return
        check_msc("encoder", options)
        if options.fusion_layers == 0:
            raise ValueError(
                "--fusion-layers 0 leaves no layer with msc: raise it, or drop "
                "--encoder-fusion"
            )


@dataclass
class FusionOptions(NcfOptions, WsfOptions, MscOptions):
    """Which fusion an encoder has, and the options of each."""

    encoder_fusion: ChoiceEnum(["none", *FUSIONS]) = option(
        "none", "how source states are fused over neighbouring symbols"
    )
    fusion_layers: Optional[int] = option(
        None,
        "encoder layers before (ncf) or inside (wsf) the fusion, or that have it (msc); "
        "default: two thirds of --encoder-layers (ncf), one third (wsf), all (msc)",
        _ANY,
    )

    @staticmethod
    def resolve(options):
        if options.fusion_layers is None and options.encoder_fusion != "none":
            fusion_class = FUSIONS[options.encoder_fusion]
            options.fusion_layers = fusion_class.default_layers(options.encoder_layers)

    @staticmethod
    def resolve_as_before(saved):
        # What a DictConfig lacks is None in omegaconf 2.0, whatever the default.
        fused = getattr(saved, "encoder_fusion", None) not in (None, "none")
        if fused and getattr(saved, "fusion_layers", None) is None:
            saved.fusion_layers = min(4, round(2 * saved.encoder_layers / 3))

    @staticmethod
    def check_group(options, dictionary):
        if options.encoder_fusion == "none":
            return
        fusion_class = FUSIONS[options.encoder_fusion]
        composes = options.encoder_embedder not in TOKEN_EMBEDDERS
        if fusion_class.needs_symbols and composes:
            raise ValueError(
                f"--encoder-fusion {options.encoder_fusion} fuses states of symbols, and "
                f"--encoder-embedder {options.encoder_embedder} gives one a word: drop "
                "either"
            )
        if not 0 <= options.fusion_layers <= options.encoder_layers:
            raise ValueError(
                f"--fusion-layers {options.fusion_layers} must lie between 0 and "
                f"--encoder-layers {options.encoder_layers}"
            )
        if options.encoder_layerdrop > 0 and fusion_class.place != "within":
            raise ValueError(
                f"--encoder-fusion {options.encoder_fusion} stands at a fixed layer: drop "
                f"--encoder-layerdrop {options.encoder_layerdrop:g}"
            )
