"""A decoder with its cache beside one that decodes every prefix anew."""

import torch

from ...helpers import SENTENCES, pad_batch
from ...oracles.decoding import SlowDecoder

SOURCES = [s for s in SENTENCES if s][:5]


class Search:
    """Both decoders, side by side, on the same random symbols."""

    def __init__(self, model, beam, sentences=5, left=False, repeat=True):
        self.model, self.beam = model, beam
        source = pad_batch(SOURCES[:sentences], left=left)
        rows = torch.arange(sentences).repeat_interleave(beam)
        self.memory = model.encoder(source)
        if repeat:
            self.memory = model.encoder.reorder_encoder_out(self.memory, rows)
        self.slow = SlowDecoder(model, source, rows)
        self.state = {}
        self.num_rows = len(rows)

    @property
    def cache(self):
        return self.model.decoder.get_incremental_state(self.state, "cache")

    def step(self):
        symbols = torch.randint(4, 260, (self.num_rows,))
        expected = self.slow.step(symbols)
        found = self.model.decoder(
            self.slow.prefixes, self.memory, incremental_state=self.state
        )[0]
        assert found.shape == (self.num_rows, 1, 260)
        assert (found[:, 0] - expected).abs().max() <= 2e-5

    def reorder(self, order):
        self.model.decoder.reorder_incremental_state_scripting(self.state, order)
        self.memory = self.model.encoder.reorder_encoder_out(self.memory, order)
        self.slow.reorder(order)
        self.num_rows = len(order)

    def beam_order(self, kept=None):
        """A random survivor for every hypothesis of the sentences ``kept``."""
        sentences = self.num_rows // self.beam
        kept = list(range(sentences)) if kept is None else kept
        parents = torch.randint(self.beam, (len(kept), self.beam))
        return (torch.tensor(kept)[:, None] * self.beam + parents).flatten()
