"""Incremental decoding without a cache: every prefix is decoded anew."""

import torch


class SlowDecoder:
    """What a decoder with a cache must compute.

    Args:
        model (ByteTransformerModel): in eval mode.
        source (Long[B, S])
        rows (Long[N]): the source of each row of the batch.
    """

    def __init__(self, model, source, rows):
        self.model = model
        self.source = source[rows]
        self.prefixes = torch.empty(len(rows), 0, dtype=torch.long)

    def step(self, symbols):
        """Logits Float[N, V] after ``symbols`` (Long[N])."""
        self.prefixes = torch.cat([self.prefixes, symbols[:, None]], 1)
        memory = self.model.encoder(self.source)
        return self.model.decoder(self.prefixes, memory)[0][:, -1]

    def reorder(self, order):
        self.source, self.prefixes = self.source[order], self.prefixes[order]
