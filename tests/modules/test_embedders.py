import pytest
import torch

from fairseq_bytefusion.modules.embedders import EMBEDDERS
from fairseq_bytefusion.modules.embedders.one_hot import OneHotEmbedder, OneHotProjection

from ..helpers import pad_batch

V, PAD = 260, 1


@pytest.mark.parametrize("name", EMBEDDERS)
def test_contract(name):
    embedder = EMBEDDERS[name](V, 264, PAD)
    tokens = pad_batch(["ab", "", "世"], extra=2)
    states, padding_mask = embedder(tokens)
    assert embedder.embedding_dim == 264
    assert embedder.padding_idx == PAD
    assert states.shape == (3, tokens.shape[1], 264)
    assert states.dtype == torch.float32
    assert torch.equal(padding_mask, tokens == PAD)
    assert (states[padding_mask] == 0).all()
    assert (states[~padding_mask].norm(dim=-1) > 0).all()


@pytest.mark.parametrize("name", EMBEDDERS)
def test_equal_symbols_have_equal_states(name):
    states, _ = EMBEDDERS[name](V, 264, PAD)(torch.tensor([[5, 6, 5]]))
    assert torch.equal(states[0, 0], states[0, 2])
    assert not torch.equal(states[0, 0], states[0, 1])


def test_dense_scale():
    torch.manual_seed(0)
    plain = EMBEDDERS["dense"](V, 16, PAD)
    scaled = EMBEDDERS["dense"](V, 16, PAD, scale=4.0)
    scaled.load_state_dict(plain.state_dict())
    tokens = torch.tensor([[5, 6, PAD]])
    assert torch.equal(scaled(tokens)[0], 4 * plain(tokens)[0])


def test_one_hot_states_are_scaled_unit_vectors():
    embedder = OneHotEmbedder(V, 264, PAD)
    (states,), _ = embedder(torch.tensor([[5, 259]]))
    assert torch.equal(states, 264**0.5 * torch.eye(264)[[5, 259]])
    assert [name for name, _ in embedder.named_parameters()] == ["scale"]
    assert list(embedder.state_dict()) == ["scale"]


def test_one_hot_projection_is_the_same_matrix():
    projection = OneHotProjection(V, 264)
    with torch.no_grad():
        projection.scale.fill_(3.0)
    features = torch.randn(2, 3, 264)
    logits = projection(features)
    assert logits.shape == (2, 3, V)
    assert torch.allclose(logits, 3.0 * features @ torch.eye(V, 264).T)
    logits.sum().backward()
    assert projection.scale.grad is not None


@pytest.mark.parametrize(
    "module", [lambda d: OneHotEmbedder(V, d, PAD), lambda d: OneHotProjection(V, d)]
)
def test_one_hot_needs_a_dimension_a_symbol(module):
    with pytest.raises(ValueError, match="at least 260 dimensions.*has 259"):
        module(259)
