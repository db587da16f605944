"""Drafts of a model's own heads that look ahead."""


class HeadsDraft:
    """Each head's best symbol; at most as many as there are heads.

    Args:
        decoder (ByteTransformerDecoder): with ``lookahead``.
    """

    def __init__(self, decoder):
        self.decoder = decoder

    @classmethod
    def build(cls, options, dictionary, models):
        """Of the first of ``models``.

        Raises:
            ValueError: it has no such heads.
        """
        decoder = models[0].decoder
        if decoder.lookahead is None:
            raise ValueError(
                "--draft heads needs a model with heads that look ahead: train some with "
                "--lookahead-heads and --lookahead-only, or use --draft ngram"
            )
        return cls(decoder)

    def propose(self, states, tokens, lengths, k):
        """See :mod:`~fairseq_bytefusion.search.drafts`; nothing at the beginning."""
        if states is None:
            return tokens[:, :0]
        ahead = self.decoder.lookahead(states)[:, :k]
        return self.decoder.output_layer(ahead).argmax(-1)
