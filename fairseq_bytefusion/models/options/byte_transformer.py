"""The options of ``byte_transformer``."""

from dataclasses import dataclass

from ...modules.embedders import EMBEDDERS
from .decoder import DecoderOptions
from .embedders import check_table
from .encoder import EncoderOptions
from .groups import check, option
from .lookahead import LookaheadOptions


@dataclass
class ByteTransformerConfig(LookaheadOptions, EncoderOptions, DecoderOptions):
    """One flat field a flag; names and meanings are those of ``transformer``."""

    share_all_embeddings: bool = option(
        False, "one table for the encoder's input, the decoder's input and output"
    )


def check_sides(options, src_dict, tgt_dict):
    """Refuse what cannot be built or would do nothing, naming the flag to change.

    Args:
        options (Namespace): see :func:`~.groups.complete`.
        src_dict, tgt_dict (fairseq.data.Dictionary)

    Raises:
        ValueError
    """
    check(EncoderOptions, options, src_dict)
    check(DecoderOptions, options, tgt_dict)
    check(LookaheadOptions, options, tgt_dict)
    if options.share_all_embeddings:
        _check_shared(options, src_dict, tgt_dict)


def _check_shared(options, src_dict, tgt_dict):
    if EMBEDDERS[options.encoder_embedder].composes_words:
        raise ValueError(
            "--share-all-embeddings needs an embedding table: with --encoder-embedder "
            f"{options.encoder_embedder} drop that flag"
        )
    if options.freeze_encoder:
        raise ValueError(
            "--freeze-encoder would keep the decoder from learning its table, which it "
            "shares: drop --share-all-embeddings or that flag"
        )
    for side in ("encoder", "decoder"):
        check_table(side, options, "--share-all-embeddings")
    if src_dict != tgt_dict:
        raise ValueError(
            "--share-all-embeddings needs one dictionary for both sides: drop that flag, "
            "or choose the same unit and vocabulary for both, without --source-tag and "
            "--target-tag"
        )
    if options.encoder_embed_dim != options.decoder_embed_dim:
        raise ValueError(
            f"--share-all-embeddings needs --encoder-embed-dim "
            f"({options.encoder_embed_dim}) equal to --decoder-embed-dim "
            f"({options.decoder_embed_dim})"
        )
