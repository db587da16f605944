import pytest
import torch

from fairseq_bytefusion.modules.word_lstm import WordLSTM

LENGTHS = [3, 1, 5, 0, 5]


def batch_of(lengths, dim=6, extra=0):
    torch.manual_seed(2)
    width = max(lengths) + extra
    padding_mask = torch.arange(width) >= torch.tensor(lengths).unsqueeze(1)
    return torch.randn(len(lengths), width, dim, dtype=torch.float64), padding_mask


@pytest.mark.parametrize("num_layers", [1, 2])
def test_against_a_sentence_at_a_time(num_layers):
    module = WordLSTM(6, num_layers).double()
    x, padding_mask = batch_of(LENGTHS)
    found = module(x, padding_mask)
    assert found.shape == x.shape
    for row, states, length in zip(found, x, LENGTHS):
        if length:
            expected = module.lstm(states[:length].unsqueeze(0))[0][0]
            assert torch.allclose(row[:length], expected, atol=1e-12)
        assert not row[length:].any()


def test_padding_changes_nothing():
    module = WordLSTM(6, 2).double()
    x, padding_mask = batch_of(LENGTHS)
    expected = module(x, padding_mask)
    wider = torch.cat([x, torch.full((5, 4, 6), 7.0)], 1)
    mask = torch.nn.functional.pad(padding_mask, (0, 4), value=True)
    assert torch.equal(module(wider, mask)[:, :5], expected)


def test_both_directions():
    module = WordLSTM(4, 1).double()
    x, padding_mask = batch_of([3], dim=4)
    changed = x.clone()
    changed[0, 1] += 1
    difference = (module(x, padding_mask) - module(changed, padding_mask))[0].ne(0)
    assert difference.tolist() == [
        [False, False, True, True],
        [True, True, True, True],
        [True, True, False, False],
    ]


def test_half_of_the_width_is_for_each_direction():
    with pytest.raises(ValueError, match="needs an even width, not 5"):
        WordLSTM(5, 1)
