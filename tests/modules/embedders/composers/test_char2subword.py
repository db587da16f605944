from functools import partial

import pytest
import torch

from fairseq_bytefusion.modules.attention import MultiheadAttention
from fairseq_bytefusion.modules.embedders.composers import Char2Subword
from fairseq_bytefusion.modules.embedders.composers.char2subword import (
    PAPER,
    Char2SubwordLayer,
)
from fairseq_bytefusion.modules.word_local import WordLocal

from ....helpers import pad_batch
from ....oracles import word_composers as oracle
from .composers import DICTIONARY, D, composer


def test_residuals_add_the_normalised_input():
    layer = Char2SubwordLayer(partial(MultiheadAttention, 4, 2), 4)
    with torch.no_grad():
        for linear in (layer.self_attn.out_proj, layer.fc2):
            linear.weight.zero_()
            linear.bias.zero_()
    (found,) = layer(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), WordLocal([(1, 1)]))
    expected = torch.tensor([-1.3416, -0.4472, 0.4472, 1.3416])
    assert (found - expected).abs().max() <= 1e-4


def test_char2subword_positions_are_sinusoids():
    positions = composer("char2subword").positions
    assert positions.shape == (52, 8)
    for t in (0, 1, 51):
        for i in range(4):
            angle = torch.tensor(float(t)) / 10000 ** (i / 3)
            assert positions[t, i] == pytest.approx(angle.sin().item(), abs=1e-5)
            assert positions[t, 4 + i] == pytest.approx(angle.cos().item(), abs=1e-5)


def test_char2subword_output_is_normalised():
    module = Char2Subword(DICTIONARY, 64, char_dim=16)
    (states,), _ = module(pad_batch(["some words of text"]))
    assert torch.allclose(states.mean(-1), torch.zeros(5), atol=1e-5)
    assert torch.allclose(states.norm(dim=-1), torch.full((5,), 8.0), atol=1e-2)


def test_char2subword_dropout():
    module = Char2Subword(DICTIONARY, D, char_dim=16, dropout=0.5).train()
    batch = pad_batch(["some words"])
    assert not torch.equal(module(batch)[0], module(batch)[0])
    assert torch.equal(module.eval()(batch)[0], module(batch)[0])


def test_size_of_the_papers_module():
    module = Char2Subword(DICTIONARY, 768, **PAPER)
    assert len(module.layers) == 6
    assert 40e6 < sum(p.numel() for p in module.parameters()) < 50e6


PIECES = [(b"cat", True), (b"cat", False), (b"in", True), (b"ing", False), (b"x", False)]


def test_pieces_that_go_on_a_word_have_no_begin():
    module = composer("char2subword")
    symbols = torch.full((2, 3), DICTIONARY.pad())
    symbols[0], symbols[1, :2] = torch.tensor([10, 11, 12]), torch.tensor([13, 14])
    begin, end, pad = module.begin, module.end, DICTIONARY.pad()
    found, lengths = module.delimit(
        symbols, torch.tensor([3, 2]), torch.tensor([True, False])
    )
    assert found.tolist() == [[begin, 10, 11, 12, end], [13, 14, end, pad, pad]]
    assert lengths.tolist() == [5, 3]


def test_pieces_are_the_oracles():
    module = composer("char2subword").double()
    words = [[byte + 4 for byte in word] for word, _ in PIECES]
    symbols = torch.nn.utils.rnn.pad_sequence(
        [torch.tensor(word) for word in words], True, DICTIONARY.pad()
    )
    lengths = torch.tensor([len(word) for word in words])
    begins = torch.tensor([begins for _, begins in PIECES])
    found = module.compose(symbols, lengths, begins)
    target = torch.randn_like(found)
    (found * target).sum().backward()
    gradients = {name: p.grad.clone() for name, p in module.named_parameters()}
    module.zero_grad()
    expected = torch.stack(
        [oracle.char2subword(module, word, b) for word, (_, b) in zip(words, PIECES)]
    )
    assert (found - expected).abs().max() <= 1e-9
    assert (found[0] - found[1]).abs().max() > 0.1
    (expected * target).sum().backward()
    for name, parameter in module.named_parameters():
        assert (gradients[name] - parameter.grad).abs().max() <= 1e-9, name
