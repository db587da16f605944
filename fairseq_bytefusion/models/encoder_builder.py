"""Encoder options -> encoder. Every model of this package has its encoder from here."""

import copy
from functools import partial

from fairseq.models.transformer import TransformerConfig

from ..modules.embedders import EMBEDDERS
from ..modules.fusion import FUSIONS
from .byte_encoder import ByteTransformerEncoder
from .language_model_builder import rebuild_language_model
from .layers import build_encoder_layer


def build_encoder(options, dictionary, words=None, embedder=None, language_model=None):
    """An encoder: embedder, fusion and layers.

    Args:
        options (Namespace): all of ``EncoderOptions``, see :func:`~.options.complete`, and
            checked (:func:`~.options.check`).
        dictionary (fairseq.data.Dictionary): of its symbols.
        words (list of bytes, optional): those that its table of words knows.
        embedder (nn.Module, optional): one that is there already, such as a table that
            the decoder shares; without, the one that the options name.
        language_model (dict, optional): options of the one under its embedder.

    Returns:
        ByteTransformerEncoder
    """
    if embedder is None:
        embedder = build_embedder(options, dictionary, words, language_model)
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


def build_embedder(options, dictionary, words=None, language_model=None):
    """The embedder of an encoder.

    Args:
        options, dictionary, words, language_model: as of :func:`build_encoder`.

    Returns:
        nn.Module
    """
    embedder_class = EMBEDDERS[options.encoder_embedder]
    known = {"words": words} if embedder_class.needs_words else {}
    if embedder_class.needs_language_model:
        known["language_model"] = rebuild_language_model(language_model, dictionary)
    embedder = embedder_class.build(options, dictionary, options.encoder_embed_dim, **known)
    if options.freeze_composer:
        embedder.composer.freeze()
    return embedder


def known_to_embedder(options, task):
    """What the embedder of an encoder needs beside its options.

    Args:
        options (Namespace)
        task (FairseqTask): gives ``source_words()``, ``language_model(path)``.

    Returns:
        dict: ``words`` and ``language_model`` of :func:`build_embedder`.

    Raises:
        OSError, RuntimeError, ValueError: what the task has to read for it.
    """
    embedder_class, known = EMBEDDERS[options.encoder_embedder], {}
    if embedder_class.needs_words:
        known["words"] = task.source_words()
    if embedder_class.needs_language_model:
        known["language_model"] = task.language_model(options.elmo_from)
    return known


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
