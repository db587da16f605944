import pytest
import torch

from fairseq_bytefusion.models.encoder_builder import build_embedder, known_to_embedder
from fairseq_bytefusion.models.options import DecoderOptions, EncoderOptions, complete
from fairseq_bytefusion.modules.embedders import EMBEDDERS, TOKEN_EMBEDDERS
from fairseq_bytefusion.modules.embedders.one_hot import OneHotEmbedder, OneHotProjection
from fairseq_bytefusion.text import ByteDictionary

from ...helpers import DictionaryTask, model_args, pad_batch

V, PAD = 260, 1


def build(name, dim=264, **options):
    """As a model builds it."""
    given = model_args(encoder_embedder=name, encoder_embed_dim=dim, **options)
    options = complete(EncoderOptions, given)
    known = known_to_embedder(options, DictionaryTask())
    return build_embedder(options, ByteDictionary(), **known)


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("name", EMBEDDERS)
def test_contract(name, left):
    embedder = build(name)
    tokens = pad_batch(["ab c", "", "世"], left=left, extra=2)
    states, padding_mask = embedder(tokens)
    assert embedder.embedding_dim == 264
    assert embedder.padding_idx == PAD
    assert states.dtype == torch.float32
    assert padding_mask.dtype == torch.bool
    assert states.shape == (*padding_mask.shape, 264)
    if embedder.composes_words:
        assert (~padding_mask).sum(1).tolist() == [3, 1, 2]
    else:
        assert torch.equal(padding_mask, tokens == PAD)
    assert (states[padding_mask] == 0).all()
    assert (states[~padding_mask].norm(dim=-1) > 0).all()


# Those of a language model know the words around them.
@pytest.mark.parametrize("name", sorted(EMBEDDERS.keys() - {"elmo"}))
def test_equal_symbols_have_equal_states(name):
    tokens = pad_batch(["a b a"] if EMBEDDERS[name].composes_words else ["aba"])
    states, _ = build(name).eval()(tokens)
    assert torch.equal(states[0, 0], states[0, 2])
    assert not torch.equal(states[0, 0], states[0, 1])


def test_dense_scale():
    torch.manual_seed(0)
    plain, scaled = build("dense", 16, no_scale_embedding=True), build("dense", 16)
    scaled.load_state_dict(plain.state_dict())
    tokens = torch.tensor([[5, 6, PAD]])
    assert torch.equal(scaled(tokens)[0], 4 * plain(tokens)[0])


def test_only_token_embedders_are_for_decoders():
    assert not any(embedder.composes_words for embedder in TOKEN_EMBEDDERS.values())
    choices = DecoderOptions.__dataclass_fields__["decoder_embedder"].type
    assert [choice.value for choice in choices] == list(TOKEN_EMBEDDERS)


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
