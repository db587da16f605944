"""``bilm``: a language model of words that are composed of their symbols."""

import torch
from fairseq.dataclass.utils import gen_parser_from_dataclass
from fairseq.models import (
    BaseFairseqModel,
    register_model,
    register_model_architecture,
)
from fairseq.modules import FairseqDropout

from ..modules.heads.word_softmax import WordSoftmax
from .language_model_builder import build_language_model
from .options import check, complete
from .options.bilm import BiLMConfig


@register_model("bilm", dataclass=BiLMConfig)
class BiLMModel(BaseFairseqModel):
    """LSTM layers of each direction over composed words, and one softmax for both.

    Args:
        encoder (LanguageModelEncoder)
        output (WordSoftmax)
        options (Namespace): what it is built with, every option resolved.

    Source: Peters et al. 2018, section 3.1; Kim et al. 2015.
    """

    def __init__(self, encoder, output, options):
        super().__init__()
        self.encoder, self.output, self.options = encoder, output, options
        self.dropout_module = FairseqDropout(options.dropout)

    @classmethod
    def add_args(cls, parser):
        """Add the flags; those not given are left to ``--arch``."""
        gen_parser_from_dataclass(parser, BiLMConfig(), delete_default=True)

    @classmethod
    def build_model(cls, cfg, task):
        """Build a model for the symbols and the words of ``task``.

        Args:
            cfg (BiLMConfig, DictConfig or Namespace)
            task (WordLanguageModelTask): gives ``source_dictionary``, ``source_words()``.

        Raises:
            ValueError: options that contradict each other, or too many words.
        """
        options = complete(BiLMConfig, cfg)
        dictionary = task.source_dictionary
        check(BiLMConfig, options, dictionary)
        encoder = build_language_model(options, dictionary)
        output = WordSoftmax(task.source_words(), dictionary, options.encoder_embed_dim)
        return cls(encoder, output, options)

    @staticmethod
    def resolve_as_before(saved):
        """Complete the options of a checkpoint: there are no older ones yet."""

    def forward(self, src_tokens, src_lengths=None):
        """
        Args:
            src_tokens (Long[B, T]): padded on either side.
            src_lengths (Long[B], optional): fairseq passes it; not needed.

        Returns:
            dict of str to tuple: of each direction ``forward``, ``backward`` states
            Float[N, D], the rows Long[N] of the words that they have to tell, and
            Bool[B, S], True at those of a sentence's words that are told, N in all:
            forward all but ``<s>``, backward all but ``</s>``.
        """
        found = self.encoder.read(src_tokens)
        rows, is_word = self.output.rows_of(found.words), ~found.padding_mask
        nothing = torch.zeros_like(is_word[:, :1])
        has_next = torch.cat([is_word[:, 1:], nothing], 1)
        has_previous = torch.cat([nothing, is_word[:, 1:]], 1)
        from_to = {
            "forward": (has_next, has_previous),
            "backward": (has_previous, has_next),
        }
        told = {}
        for name, layers in found.layers.items():
            reads, tells = from_to[name]
            told[name] = (self.dropout_module(layers[-1][reads]), rows[tells], tells)
        return told

    def log_probabilities(self, states):
        """Float[N, V]: of each word behind ``states`` (Float[N, D])."""
        return self.output(states).float().log_softmax(-1)

    def max_positions(self):
        """None: an LSTM reads any length."""
        return


def _preset(name, **values):
    """Register ``--arch name``: its values lose to the user's flags."""

    @register_model_architecture("bilm", name)
    def fill(args):
        for key, value in values.items():
            setattr(args, key, getattr(args, key, value))


_KIM = {"direction": "forward", "lstm_layers": 2, "dropout": 0.5}

# "bilm" itself is the config's defaults: the sizes of Peters et al. 2018.
_preset(
    "bilm_tiny",
    encoder_embed_dim=16,
    lstm_dim=24,
    char_cnn_filters="1:8,2:8,3:8",
)
# Kim et al. 2015, table 2; words are as wide as cells.
_preset(
    "char_lm_small",
    **_KIM,
    char_cnn_filters="kim-small",
    encoder_embed_dim=300,
    lstm_dim=300,
)
_preset(
    "char_lm_large",
    **_KIM,
    char_cnn_filters="kim-large",
    encoder_embed_dim=650,
    lstm_dim=650,
)
