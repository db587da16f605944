import pytest
import torch

from fairseq_bytefusion.modules.directed_lstm import DirectedLSTM

from ..oracles.language_model import directed_layers
from .test_word_lstm import LENGTHS, batch_of

SIZES = {"projected": 9, "as wide": 6}


def module_of(lstm_dim=9, num_layers=3, is_backward=False):
    torch.manual_seed(3)
    return DirectedLSTM(6, lstm_dim, num_layers, is_backward=is_backward).double()


@pytest.mark.parametrize("is_backward", [False, True])
@pytest.mark.parametrize("lstm_dim", SIZES.values(), ids=SIZES)
def test_against_a_sentence_at_a_time(lstm_dim, is_backward):
    module = module_of(lstm_dim, is_backward=is_backward)
    x, padding_mask = batch_of(LENGTHS, extra=2)
    found = module(x, padding_mask)
    assert [states.shape for states in found] == [x.shape] * 3
    for row, length in enumerate(LENGTHS):
        expected = directed_layers(module, x[row, :length]) if length else []
        for states, theirs in zip(found, expected):
            assert (states[row, :length] - theirs).abs().max() <= 1e-12
        assert all((states[row, length:] == 0).all() for states in found)


@pytest.mark.parametrize("is_backward", [False, True])
def test_no_state_knows_the_words_on_the_other_side(is_backward):
    module = module_of(is_backward=is_backward)
    x, padding_mask = batch_of([5, 3])
    x.requires_grad_()
    for states in module(x, padding_mask):
        for row, length in ((0, 5), (1, 3)):
            for k in range(length):
                (jacobian,) = torch.autograd.grad(
                    states[row, k].sum(), x, retain_graph=True
                )
                seen = jacobian.ne(0).any(-1)
                expected = torch.zeros_like(seen)
                expected[row, k:length] = is_backward
                expected[row, : k + 1] |= not is_backward
                expected[row, k] = True
                assert torch.equal(seen, expected)


def test_narrow_cells_are_refused():
    with pytest.raises(ValueError, match="cells 5 wide cannot give states 6 wide"):
        module_of(lstm_dim=5)
