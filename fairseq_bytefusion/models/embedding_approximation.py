"""``--arch embedding_approximation``: the composer that learns a table."""

from dataclasses import dataclass
from typing import Optional

import torch
from fairseq.dataclass import FairseqDataclass
from fairseq.models import (
    BaseFairseqModel,
    register_model,
    register_model_architecture,
)
from omegaconf import II

from ..modules.embedders.composers.char2subword import PAPER, Char2Subword
from .options.composers import check_char2subword, check_one_start
from .options.groups import option


@dataclass
class EmbeddingApproximationModelConfig(FairseqDataclass):
    """The options of char2subword; its width is that of the table.

    No group of ``options/``: no other embedder is there to own a flag, and defaults differ.
    """

    char_embed_dim: int = option(256, "width of a symbol's embedding and of the layers")
    char2subword_layers: int = option(2, "layers")
    char2subword_heads: int = option(4, "attention heads")
    dropout: float = option(0.0, "dropout on states and on each block's output")
    attention_dropout: float = option(0.0, "dropout on attention weights")
    max_word_chars: int = II("task.max_word_chars")
    composer_from: Optional[str] = option(
        None,
        "start from the module of this checkpoint, such as of --task masked_pieces or "
        "masked_characters",
    )
    char2subword_from: Optional[str] = option(None, "another name of --composer-from")


@register_model("embedding_approximation", dataclass=EmbeddingApproximationModelConfig)
class EmbeddingApproximationModel(BaseFairseqModel):
    """A char2subword module that is trained to compose the rows of a table.

    Args:
        composer (Char2Subword)
    """

    def __init__(self, composer):
        super().__init__()
        self.composer = composer

    @classmethod
    def build_model(cls, cfg, task):
        """
        Args:
            cfg (EmbeddingApproximationModelConfig)
            task (EmbeddingApproximationTask): gives ``source_dictionary``, ``teacher``.

        Raises:
            ValueError: options that contradict each other.
        """
        check_char2subword(cfg)
        check_one_start(cfg)
        table = task.teacher.table
        composer = Char2Subword.build(cfg, task.source_dictionary, table.shape[1])
        start_at_scale(composer, table)
        return cls(composer)

    def forward(self, symbols, lengths, begins):
        """
        Args:
            symbols (Long[U, C]): padded on the right.
            lengths (Long[U])
            begins (Bool[U]): False for what goes on a word.

        Returns:
            Float[U, D]
        """
        return self.composer.compose(symbols, lengths, begins)

    def max_positions(self):
        """None: the dataset cuts long entries."""
        return


@torch.no_grad()
def start_at_scale(composer, table):
    """Start at the scale of a table: the last LayerNorm would take long to get there.

    Args:
        composer (Char2Subword): changed in place.
        table (Float[V, D])
    """
    composer.layer_norm.weight.copy_(table.std(0))
    composer.layer_norm.bias.copy_(table.mean(0))


@register_model_architecture("embedding_approximation", "embedding_approximation_paper")
def fill_paper(args):
    """The module of Aguilar et al. 2021, section 4."""
    args.char_embed_dim = getattr(args, "char_embed_dim", PAPER["char_dim"])
    args.char2subword_layers = getattr(args, "char2subword_layers", PAPER["layers"])
    args.char2subword_heads = getattr(args, "char2subword_heads", PAPER["heads"])
