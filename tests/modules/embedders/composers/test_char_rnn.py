import torch

from fairseq_bytefusion.modules.embedders.composers import CharRNN

from ....helpers import pad_batch
from .composers import DICTIONARY, D


def test_char_rnn_reads_no_padding():
    module = CharRNN(DICTIONARY, D).double()
    (alone,), _ = module(pad_batch(["ab"]))
    together, _ = module(pad_batch(["ab", "a much-longer-word"], left=True, extra=4))
    assert torch.allclose(together[0, :2], alone, atol=1e-12)
