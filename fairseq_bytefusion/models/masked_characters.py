"""``--arch masked_characters``: a composer's states of characters, from spelling alone."""

from dataclasses import dataclass

import torch.nn as nn
from fairseq.dataclass import ChoiceEnum
from fairseq.dataclass.utils import gen_parser_from_dataclass
from fairseq.models import BaseFairseqModel, register_model, register_model_architecture

from ..modules.embedders import COMPOSERS
from .options import check, complete
from .options.composer_model import ComposerModelOptions
from .options.groups import option

#: the composers that have states of characters
WITH_STATES = [name for name, kind in COMPOSERS.items() if kind.character_parts]


@dataclass
class MaskedCharactersConfig(ComposerModelOptions):
    """The options of a word composer."""

    encoder_embedder: ChoiceEnum(list(COMPOSERS)) = option(
        "char-rnn", f"the word composer to train: {', '.join(WITH_STATES)}"
    )

    @staticmethod
    def check_group(options, dictionary):
        name = options.encoder_embedder
        if name not in WITH_STATES:
            raise ValueError(
                f"--encoder-embedder {name} has no states of characters to foresee them "
                f"from: choose {', '.join(WITH_STATES)}"
            )


@register_model("masked_characters", dataclass=MaskedCharactersConfig)
class MaskedCharactersModel(BaseFairseqModel):
    """The part of a word composer that reads characters, and what finds the masked ones.

    What makes a word of the states is not there: a model that starts from this one has its
    own.

    Args:
        composer (WordComposer)
        num_symbols (int): V.
        options (Namespace): what it was built with, every option resolved.
    """

    def __init__(self, composer, num_symbols, options):
        super().__init__()
        composer.keep_character_parts()
        self.composer, self.options = composer, options
        self.output = nn.Linear(composer.character_dim, num_symbols)

    @classmethod
    def add_args(cls, parser):
        """Add the flags; those not given are left to ``--arch``."""
        gen_parser_from_dataclass(parser, MaskedCharactersConfig(), delete_default=True)

    @classmethod
    def build_model(cls, cfg, task):
        """
        Args:
            cfg (MaskedCharactersConfig, DictConfig or Namespace)
            task (MaskedCharactersTask): gives ``source_dictionary``.

        Raises:
            ValueError: options that contradict each other.
        """
        options = complete(MaskedCharactersConfig, cfg)
        check(MaskedCharactersConfig, options, task.source_dictionary)
        kind, dictionary = COMPOSERS[options.encoder_embedder], task.source_dictionary
        # The width of words, which it has none of.
        composer = kind.build(options, dictionary, options.char_embed_dim)
        return cls(composer, len(dictionary), options)

    def forward(self, symbols, lengths, chosen):
        """
        Args:
            symbols (Long[U, C]): words, padded on the right.
            lengths (Long[U])
            chosen (Bool[U, C]): N symbols to find out.

        Returns:
            Float[N, V]: logits.
        """
        return self.output(self.composer.character_states(symbols, lengths)[chosen])

    def max_positions(self):
        """None: the data set cuts long words."""
        return


@register_model_architecture("masked_characters", "masked_characters_tiny")
def _tiny(args):
    args.char_embed_dim = getattr(args, "char_embed_dim", 16)
