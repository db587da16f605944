import math

import pytest
import torch

from fairseq_bytefusion.modules.scalar_mix import ScalarMix

from ..oracles.language_model import mixed


def mix_of(scores, gamma, **options):
    module = ScalarMix(len(scores), **options)
    with torch.no_grad():
        module.scores.copy_(torch.tensor(scores))
        module.gamma.fill_(gamma)
    return module


def test_by_hand():
    """Weights 1/8, 2/8, 5/8; 2 (8/8 + 4 * 2/8 + 8 * 5/8) = 14."""
    module = mix_of([0.0, math.log(2), math.log(5)], 2.0)
    found = module([torch.full((2, 3), value) for value in (8.0, 4.0, 8.0)])
    assert torch.allclose(found, torch.full((2, 3), 14.0))
    numbers = module.named_scalars()
    assert list(numbers) == [*(f"elmo_weight_{j}" for j in range(3)), "elmo_gamma"]
    assert list(numbers.values()) == pytest.approx([0.125, 0.25, 0.625, 2])


@pytest.mark.parametrize("gamma", [1.0, -0.5])
def test_against_the_equation(gamma):
    torch.manual_seed(1)
    layers = [torch.randn(4) for _ in range(3)]
    found = mix_of([0.3, -1.0, 2.0], gamma)(layers)
    expected = mixed([0.3, -1.0, 2.0], gamma, [layer.tolist() for layer in layers])
    assert found.tolist() == pytest.approx(expected, abs=1e-6)


def test_all_layers_weigh_alike_at_the_start():
    layers = torch.randn(4, 2, 5)
    assert torch.allclose(ScalarMix(4)(list(layers)), layers.mean(0), atol=1e-6)


def test_a_layer_norm_makes_scale_and_mean_of_a_layer_meaningless():
    torch.manual_seed(1)
    module = mix_of([0.0, 1.0], 1.0, layer_norm=True)
    first, second = torch.randn(2, 3, 8)
    found = module([first, second])
    assert torch.allclose(module([5 * first + 2, second]), found, atol=1e-4)
    assert found.mean(-1).abs().max() < 1e-5


def test_other_layers_are_refused():
    with pytest.raises(ValueError, match="3 layers to mix, not 2"):
        ScalarMix(3)([torch.zeros(1)] * 2)
