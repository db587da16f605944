"""``--arch char2subword_mlm``: a composer learns within a pre-trained model."""

from dataclasses import dataclass

import torch
from fairseq.models import (
    BaseFairseqModel,
    register_model,
    register_model_architecture,
)

from ..modules.embedders.composers import WordComposer
from ..modules.embedders.composers.char2subword import Char2Subword
from .embedding_approximation import (
    EmbeddingApproximationModelConfig,
    fill_paper,
    start_at_scale,
)
from .options.composers import check_char2subword, check_one_start
from .options.groups import option

# What transformers calls the head of a model, where it can be called alone.
_HEADS = ("cls", "lm_head", "predictions")


@dataclass
class Char2SubwordMLMConfig(EmbeddingApproximationModelConfig):
    """The options of char2subword, and what stands on top of the pre-trained model."""

    new_head: bool = option(
        False,
        "for a directory of --pretrained without a head for masked language modelling: "
        "train one on top of its table",
    )


@register_model("char2subword_mlm", dataclass=Char2SubwordMLMConfig)
class Char2SubwordMLMModel(BaseFairseqModel):
    """Pieces composed of their characters -> layers and head of a pre-trained model.

    The composer learns. The model above it does not, and drops nothing out; a new head
    learns but for the table, to which it is tied.

    Args:
        composer (Char2Subword): D wide.
        masked_lm (nn.Module): of transformers.
        pad (int): the row of padding.
        new_head (bool)

    Source: Aguilar et al. 2021, *Char2Subword*, section 3.3.
    """

    def __init__(self, composer, masked_lm, pad, new_head=False):
        super().__init__()
        self.composer, self.masked_lm, self.pad = composer, masked_lm, pad
        masked_lm.requires_grad_(False).eval()
        if new_head:
            below = {id(parameter) for parameter in masked_lm.base_model.parameters()}
            for parameter in masked_lm.parameters():
                parameter.requires_grad_(id(parameter) not in below)

    @classmethod
    def build_model(cls, cfg, task):
        """
        Args:
            cfg (Char2SubwordMLMConfig)
            task (MaskedPiecesTask): gives ``source_dictionary``, ``pretrained``.

        Raises:
            ValueError: options that contradict each other; transformers is not installed.
        """
        check_char2subword(cfg)
        check_one_start(cfg)
        parts = task.pretrained
        masked_lm = parts.masked_lm()
        dim = masked_lm.get_input_embeddings().weight.shape[1]
        composer = Char2Subword.build(cfg, task.source_dictionary, dim)
        return cls(composer, masked_lm, parts.special["pad"], cfg.new_head)

    @property
    def table(self):
        """nn.Embedding: a row a piece."""
        return self.masked_lm.get_input_embeddings()

    def load_masked_lm(self, weights):
        """Take over the weights of a Hugging Face directory; the composer starts at the
        scale of its table.

        Args:
            weights (dict of str to Tensor): see ``data.hugging_face.read_masked_lm``.
        """
        self.masked_lm.load_state_dict(weights)
        start_at_scale(self.composer, self.table.weight)

    def train(self, mode=True):
        """As in torch; the pre-trained model drops nothing out."""
        super().train(mode)
        self.masked_lm.eval()
        return self

    def forward(self, symbols, lengths, begins, index, pieces, chosen):
        """
        Args:
            symbols (Long[U, C]): different pieces, padded on the right.
            lengths (Long[U])
            begins (Bool[U]): False for what goes on a word.
            index (Long[B, P]): which of them stands where; U where ``pieces`` does.
            pieces (Long[B, P]): rows of the table.
            chosen (Bool[B, P]): what is predicted, N of them.

        Returns:
            Float[N, V]: logits over the rows of the table.
        """
        vectors = self.composer.compose(symbols, lengths, begins)
        composed, is_row = WordComposer.place(vectors, index)
        inputs = torch.where(is_row.unsqueeze(-1), self.table(pieces), composed)
        options = {
            "inputs_embeds": inputs,
            "attention_mask": pieces.ne(self.pad).long(),
        }
        found = [getattr(self.masked_lm, n) for n in _HEADS if hasattr(self.masked_lm, n)]
        if not found:
            return self.masked_lm(**options).logits[chosen]
        # The head alone, where it is needed: a vocabulary is wide.
        states = self.masked_lm.base_model(**options).last_hidden_state
        return found[0](states[chosen])

    def max_positions(self):
        """None: the data set cuts long sentences."""
        return


register_model_architecture("char2subword_mlm", "char2subword_mlm_paper")(fill_paper)
