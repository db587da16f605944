"""Options of a language model -> its encoder, alone or within ``elmo``."""

from argparse import Namespace

from ..modules.embedders import COMPOSERS
from ..modules.language_model_encoder import LanguageModelEncoder
from .options import complete
from .options.bilm import BiLMConfig


def build_language_model(options, dictionary):
    """
    Args:
        options (Namespace): all of ``BiLMConfig``, see :func:`~.options.complete`.
        dictionary (fairseq.data.Dictionary): of the symbols of words.

    Returns:
        LanguageModelEncoder
    """
    composer = COMPOSERS[options.encoder_embedder].build(
        options, dictionary, options.encoder_embed_dim
    )
    if options.freeze_composer:
        composer.freeze()
    return LanguageModelEncoder(
        composer,
        dictionary,
        lstm_dim=options.lstm_dim,
        num_layers=options.lstm_layers,
        dropout=options.dropout,
        direction=options.direction,
    )


def rebuild_language_model(saved, dictionary):
    """As :func:`build_language_model`, from the options that a checkpoint keeps (dict)."""
    options = complete(BiLMConfig, Namespace(**{**saved, "freeze_composer": False}))
    return build_language_model(options, dictionary)
