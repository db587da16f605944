import pytest
import torch

from fairseq_bytefusion.modules.attention_pooling import AttentionPooling

from ..oracles.attention_pooling import attention_pooling

D = 3
LENGTHS = [4, 1, 2, 0]


def pooling():
    torch.manual_seed(0)
    return AttentionPooling(D).double()


def batch():
    """States Float[U, C, D], noise at padding, and padding_mask Bool[U, C]."""
    states = torch.randn(len(LENGTHS), 5, D, dtype=torch.double)
    return states, torch.arange(5) >= torch.tensor(LENGTHS).unsqueeze(1)


def test_a_batch_is_the_oracles_sequences():
    module, (states, padding_mask) = pooling(), batch()
    found = module(states, padding_mask)[:3]
    target = torch.randn_like(found)
    (found * target).sum().backward()
    gradients = {name: p.grad.clone() for name, p in module.named_parameters()}
    module.zero_grad()
    rows = [row[:length] for row, length in zip(states, LENGTHS) if length]
    expected = torch.stack([attention_pooling(module, row) for row in rows])
    assert (found - expected).abs().max() <= 1e-9
    (expected * target).sum().backward()
    for name, parameter in module.named_parameters():
        assert (gradients[name] - parameter.grad).abs().max() <= 1e-9, name


def test_by_hand():
    """W = 1, b = 0, u_w = 2: weights e^(2 tanh h), normalised."""
    module = AttentionPooling(1)
    with torch.no_grad():
        module.projection.weight.fill_(1)
        module.projection.bias.zero_()
        module.context.weight.fill_(2)
    states = torch.tensor([[[0.0], [1.0]]])
    weights = module.weights(states, torch.zeros(1, 2, dtype=torch.bool))
    assert weights[0].tolist() == pytest.approx([0.178993, 0.821007], abs=1e-6)
    pooled = module(states, torch.zeros(1, 2, dtype=torch.bool))
    assert pooled.item() == pytest.approx(0.821007, abs=1e-6)


def test_weights_are_of_what_counts():
    module, (states, padding_mask) = pooling(), batch()
    weights = module.weights(states, padding_mask)
    assert (weights[padding_mask] == 0).all()
    sums = torch.tensor([1.0, 1.0, 1.0, 0.0], dtype=torch.double)
    assert torch.allclose(weights.sum(1), sums)
    assert weights[1, 0] == 1


def test_a_sequence_of_padding_is_zero_and_has_finite_gradients():
    module, (states, padding_mask) = pooling(), batch()
    states.requires_grad_()
    pooled = module(states, padding_mask)
    assert (pooled[3] == 0).all()
    pooled.sum().backward()
    assert states.grad.isfinite().all()
    assert (states.grad[padding_mask] == 0).all()


def test_bfloat16():
    module, (states, padding_mask) = pooling(), batch()
    expected = module(states, padding_mask)
    found = module.bfloat16()(states.bfloat16(), padding_mask)
    assert found.dtype == torch.bfloat16
    assert (found.double() - expected).abs().max() <= 0.05
