"""What taggers and classifiers have in common: an encoder and its states of words."""

import torch
from fairseq.dataclass.utils import gen_parser_from_dataclass
from fairseq.models import BaseFairseqModel, register_model_architecture
from fairseq.modules import FairseqDropout

from ..modules.embedders import EMBEDDERS
from ..modules.word_pooling import WordPooling
from .encoder_builder import build_embedder, build_encoder, known_to_embedder
from .lstm_encoder import LSTMEncoder
from .options import EncoderOptions, check, complete, resolve_as_before
from .pretrained_encoder import PretrainedEncoder

# Presets of every labelling model.
PRESETS = {
    "tiny": {
        "encoder_embed_dim": 32,
        "encoder_ffn_embed_dim": 64,
        "encoder_layers": 2,
        "encoder_attention_heads": 2,
    },
    # Sengupta et al. 2021, section 4; those of the composer are its defaults.
    "hit": {
        "encoder_embedder": "mixture",
        "mixture_composer": "hit",
        "encoder_attention": "fused",
        "encoder_embed_dim": 128,
        "encoder_ffn_embed_dim": 128,
        "encoder_layers": 2,
        "encoder_attention_heads": 8,
    },
}


class LabellingModel(BaseFairseqModel):
    """An encoder whose states are those of words, and a head.

    A subclass has ``CONFIG``, a dataclass of options, and ``build_head(options, task)``.

    Args:
        encoder (nn.Module): a Transformer, an LSTM or a pre-trained encoder.
        pooling (WordPooling, optional): where the encoder's states are those of symbols.
        head (nn.Module): see ``modules.heads``.
        options (Namespace): what it is built with, every option resolved.
    """

    CONFIG = None

    def __init__(self, encoder, pooling, head, options):
        super().__init__()
        self.encoder, self.pooling, self.head = encoder, pooling, head
        self.dropout_module = FairseqDropout(options.dropout)
        self.options = options

    @classmethod
    def add_args(cls, parser):
        """Add the flags; those not given are left to ``--arch``."""
        gen_parser_from_dataclass(parser, cls.CONFIG(), delete_default=True)

    @classmethod
    def build_model(cls, cfg, task):
        """Build a model for the dictionary and the labels of ``task``.

        Args:
            cfg (FairseqDataclass, DictConfig or Namespace)
            task (LabellingTask): gives ``source_dictionary``, ``labels`` and, for what an
                embedder needs, ``source_words()``, ``language_model(path)``, for a
                pre-trained encoder ``pretrained``, its parts.

        Raises:
            ValueError: options that contradict each other.
        """
        options = complete(cls.CONFIG, cfg)
        dictionary = task.source_dictionary
        is_pretrained = options.encoder_type == "pretrained"
        if is_pretrained and task.pretrained is not None:
            vars(options).update(task.pretrained.sizes())
        check(cls.CONFIG, options, dictionary)
        embedder_class = EMBEDDERS[options.encoder_embedder]
        known = known_to_embedder(options, task)
        pooling = None
        if not (embedder_class.composes_words or is_pretrained):
            pooling = WordPooling(dictionary, options.word_pooling)
        if options.encoder_type == "lstm":
            embedder = build_embedder(options, dictionary, **known)
            encoder, pooling = LSTMEncoder(options, dictionary, embedder, pooling), None
        elif is_pretrained:
            encoder = PretrainedEncoder.build(options, dictionary, task.pretrained)
        else:
            encoder = build_encoder(options, dictionary, **known)
        return cls(encoder, pooling, cls.build_head(options, task), options)

    @staticmethod
    def resolve_as_before(saved):
        """Complete the options of a checkpoint as :func:`~.options.resolve_as_before`."""
        resolve_as_before(EncoderOptions, saved)

    def words(self, src_tokens):
        """States of words.

        Args:
            src_tokens (Long[B, T])

        Returns:
            tuple: Float[B, S, D]; padding_mask Bool[B, S]; Bool[B, S], True at words,
            which are neither padding nor ``</s>``.
        """
        found = self.encoder(src_tokens)
        states = found["encoder_out"][0].transpose(0, 1)
        padding_mask = found["encoder_padding_mask"][0]
        if self.pooling is not None:
            states, padding_mask = self.pooling(states, src_tokens)
        # </s> is the last one of a sentence.
        place = torch.arange(padding_mask.shape[1], device=padding_mask.device)
        is_word = place < (~padding_mask).sum(1, keepdim=True) - 1
        return states, padding_mask, is_word

    def max_positions(self):
        """int: the most ids of a sentence."""
        return self.encoder.max_positions()


def register_presets(model):
    """Register ``--arch MODEL_NAME`` for every preset: its values lose to the user's flags.

    Args:
        model (str): ``byte_tagger`` or ``byte_classifier``.
    """
    for name, values in PRESETS.items():
        _register_preset(model, f"{model}_{name}", values)


def _register_preset(model, name, values):
    @register_model_architecture(model, name)
    def fill(args):
        for key, value in values.items():
            setattr(args, key, getattr(args, key, value))
