"""The encoder of ``--encoder-type lstm``: embedder -> words -> bidirectional LSTM."""

import torch.nn as nn
from fairseq.models import FairseqEncoder
from fairseq.modules import FairseqDropout

from ..modules.freezable import Freezable
from ..modules.word_lstm import WordLSTM


class LSTMEncoder(Freezable, FairseqEncoder):
    """Bidirectional LSTM over words.

    Args:
        options (Namespace): ``encoder_embed_dim``, ``encoder_layers``, ``dropout``,
            ``max_source_positions``.
        dictionary (fairseq.data.Dictionary)
        embedder (nn.Module): see ``modules.embedders``.
        pooling (WordPooling, optional): of the states of an embedder of symbols.
    """

    def __init__(self, options, dictionary, embedder, pooling=None):
        super().__init__(dictionary)
        self.embed_tokens = embedder
        self.pooling = pooling
        self.embed_positions = None  # an LSTM reads words in their order
        self.max_source_positions = options.max_source_positions
        self.dropout_module = FairseqDropout(options.dropout)
        self.layernorm_embedding = None
        if options.layernorm_embedding:
            self.layernorm_embedding = nn.LayerNorm(options.encoder_embed_dim)
        self.layers = WordLSTM(
            options.encoder_embed_dim, options.encoder_layers, options.dropout
        )

    def forward(self, src_tokens, src_lengths=None):
        """Encode a batch; padding may be on either side.

        Args:
            src_tokens (Long[B, T])
            src_lengths (Long[B], optional): fairseq passes it; not needed.

        Returns:
            dict of lists, as of a Transformer's encoder: ``encoder_out`` Float[S, B, D],
            ``encoder_padding_mask`` Bool[B, S], ``encoder_embedding`` Float[B, S, D]; S
            counts words.
        """
        embedded, padding_mask = self.embed_tokens(src_tokens)
        if self.pooling is not None:
            embedded, padding_mask = self.pooling(embedded, src_tokens)
        x = embedded
        if self.layernorm_embedding is not None:
            x = self.layernorm_embedding(x)
        if self.embed_tokens.dropout_on_states:
            x = self.dropout_module(x)
        x = self.dropout_module(self.layers(x, padding_mask))
        return {
            "encoder_out": [x.transpose(0, 1)],
            "encoder_padding_mask": [padding_mask],
            "encoder_embedding": [embedded],
        }

    def max_positions(self):
        """int: the most ids of a sentence."""
        return self.max_source_positions
