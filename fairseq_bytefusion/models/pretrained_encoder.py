"""The encoder of ``--encoder-type pretrained``: words -> layers of Hugging Face."""

from argparse import Namespace

import torch
from fairseq.models import FairseqEncoder

from ..modules.freezable import Freezable
from ..modules.pretrained import PieceReader, PretrainedEmbedder
from ..modules.pretrained.input_embedder import NUM_ENDS
from ..modules.pretrained.parts import num_positions
from .encoder_builder import build_embedder


class PretrainedEncoder(Freezable, FairseqEncoder):
    """States of words from a pre-trained encoder.

    Args:
        dictionary (ByteDictionary)
        embedder (PretrainedEmbedder)
        layers (nn.Module): of transformers, with the table of pieces.
        max_source_positions (int)
    """

    def __init__(self, dictionary, embedder, layers, max_source_positions):
        super().__init__(dictionary)
        self.embed_tokens, self.layers = embedder, layers
        self.embed_positions = None  # they are among the layers
        self.max_source_positions = max_source_positions
        if embedder.kept is not None:
            layers.set_input_embeddings(_rows(self.table, embedder.kept))

    @classmethod
    def build(cls, options, dictionary, parts):
        """An encoder with random weights.

        Args:
            options (Namespace): of a labelling model, checked.
            dictionary (ByteDictionary)
            parts (PretrainedParts)

        Raises:
            ValueError: transformers is not installed, or does not know such a model.
        """
        layers = parts.layers()
        positions = num_positions(layers)
        most = None if positions is None else positions - NUM_ENDS
        # Which may be narrower than the layers.
        width = layers.get_input_embeddings().weight.shape[1]
        composer = None
        if options.pretrained_input != "pieces":
            of_table = Namespace(**{**vars(options), "encoder_embed_dim": width})
            composer = build_embedder(of_table, dictionary)
        embedder = PretrainedEmbedder(
            *(PieceReader(parts, most), parts.special, dictionary),
            *(options.pretrained_input, composer),
            dim=width,
            positions=positions,
        )
        return cls(dictionary, embedder, layers, options.max_source_positions)

    @property
    def table(self):
        """nn.Embedding: a row a piece, those alone that the input needs."""
        return self.layers.get_input_embeddings()

    @property
    def table_name(self):
        """str: what a checkpoint of this encoder calls its table."""
        return next(n for n, p in self.named_parameters() if p is self.table.weight)

    def load_layers(self, weights):
        """Take over the weights of a Hugging Face directory.

        Args:
            weights (dict of str to Tensor): see ``data.hugging_face.read_layers``.

        Returns:
            Float[V, D]: the whole table, whatever is kept of it.
        """
        name, kept = self.table_name[len("layers.") :], self.embed_tokens.kept
        own = {n: w for n, w in weights.items() if n in self.layers.state_dict()}
        table = own[name]
        if kept is not None:
            own[name] = table[kept]
        self.layers.load_state_dict(own)
        return table

    def forward(self, src_tokens, src_lengths=None):
        """Encode a batch; padding may be on either side.

        Args:
            src_tokens (Long[B, T])
            src_lengths (Long[B], optional): fairseq passes it; not needed.

        Returns:
            dict of lists, as of a Transformer's encoder: ``encoder_out`` Float[S, B, D], a
            state a word, of its first piece where it has several; ``encoder_padding_mask``
            Bool[B, S].
        """
        inputs, is_padding, first, padding_mask = self.embed_tokens(src_tokens, self.table)
        states = self.layers(
            inputs_embeds=inputs, attention_mask=(~is_padding).long()
        ).last_hidden_state
        row = torch.arange(len(first), device=first.device).unsqueeze(1)
        words = states[row, first].masked_fill(padding_mask.unsqueeze(-1), 0.0)
        return {
            "encoder_out": [words.transpose(0, 1)],
            "encoder_padding_mask": [padding_mask],
        }

    def max_positions(self):
        """int: the most ids of a sentence."""
        return self.max_source_positions


def _rows(table, kept):
    """nn.Embedding: the rows ``kept`` (list of int) of a table."""
    return torch.nn.Embedding.from_pretrained(table.weight.detach()[kept], freeze=False)
