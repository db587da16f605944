"""Encoder options -> encoder. Every model of this package has its encoder from here."""

import copy
from functools import partial

from fairseq.models.transformer import TransformerConfig

from ..modules.embedders import EMBEDDERS
from ..modules.fusion import FUSIONS
from .byte_encoder import ByteTransformerEncoder
from .layers import build_encoder_layer


def build_encoder(options, dictionary, words=None, embedder=None):
    """An encoder: embedder, fusion and layers.

    Args:
        options (Namespace): all of ``EncoderOptions``, see :func:`~.options.complete`, and
            checked (:func:`~.options.check`).
        dictionary (fairseq.data.Dictionary): of its symbols.
        words (list of bytes, optional): those that its table of words knows.
        embedder (nn.Module, optional): one that is there already, such as a table that
            the decoder shares; without, the one that the options name.

    Returns:
        ByteTransformerEncoder
    """
    if embedder is None:
        embedder = build_embedder(options, dictionary, words)
    cfg = nested_config(options)
    if options.encoder_fusion == "none":
        return ByteTransformerEncoder(cfg, dictionary, embedder)
    fusion_class = FUSIONS[options.encoder_fusion]
    if fusion_class.place == "within":
        context = partial(fusion_class.build, options, options.encoder_embed_dim)
        contexts = [context] * options.fusion_layers
        return ByteTransformerEncoder(cfg, dictionary, embedder, contexts=contexts)
    fusion = fusion_class.build(options, dictionary, partial(build_encoder_layer, cfg))
    shallow_layers = options.fusion_layers
    if fusion_class.place == "around":
        cfg = copy.deepcopy(cfg)
        cfg.encoder.layers -= options.fusion_layers
        shallow_layers = 0
    return ByteTransformerEncoder(cfg, dictionary, embedder, fusion, shallow_layers)


def build_embedder(options, dictionary, words=None):
    """The embedder of an encoder.

    Args:
        options, dictionary, words: as of :func:`build_encoder`.

    Returns:
        nn.Module
    """
    embedder_class = EMBEDDERS[options.encoder_embedder]
    known = {"words": words} if embedder_class.needs_words else {}
    embedder = embedder_class.build(options, dictionary, options.encoder_embed_dim, **known)
    if options.freeze_composer:
        embedder.composer.freeze()
    return embedder


def nested_config(options):
    """Flat options as fairseq's base classes read them.

    Args:
        options (Namespace): of an encoder, of a decoder, or both.

    Returns:
        TransformerConfig
    """
    cfg = TransformerConfig.from_namespace(options)
    cfg.checkpoint_activations |= cfg.offload_activations
    return cfg
