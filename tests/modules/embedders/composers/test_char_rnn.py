import pytest
import torch

from fairseq_bytefusion.modules.embedders.composers import CharRNN

from ....helpers import pad_batch
from ....oracles import word_composers as oracle
from .composers import DICTIONARY, RAGGED, D, composer


def test_char_rnn_reads_no_padding():
    module = CharRNN(DICTIONARY, D).double()
    (alone,), _ = module(pad_batch(["ab"]))
    together, _ = module(pad_batch(["ab", "a much-longer-word"], left=True, extra=4))
    assert torch.allclose(together[0, :2], alone, atol=1e-12)


def test_pooled_by_attention_it_is_the_oracle():
    module = composer("char-rnn", pooling="attention").double()
    states, padding_mask = module(pad_batch(RAGGED, left=True))
    words = [w for s in RAGGED for w in oracle.characters_of(s.encode())]
    expected = torch.stack([oracle.char_rnn(module, word) for word in words])
    assert (states[~padding_mask] - expected).abs().max() <= 1e-9
    states.logsumexp(-1).sum().backward()
    assert all(p.grad.isfinite().all() for p in module.parameters())


def test_unknown_pooling():
    with pytest.raises(
        ValueError, match=r"unknown pooling 'max', choose from \('last', 'att"
    ):
        composer("char-rnn", pooling="max")
