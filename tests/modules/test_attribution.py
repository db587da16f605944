"""Grad-CAM over states, against finite differences."""

import pytest
import torch

from fairseq_bytefusion.modules.attribution import grad_cam, watched

from ..helpers import pad_batch
from ..models.labelling import label_model
from ..models.systems import COMPOSER_OPTIONS
from ..oracles import attribution as oracle


def test_a_score_of_states():
    torch.manual_seed(1)
    states = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(5, 3, dtype=torch.float64)

    def score_of(rows):
        return float((torch.tensor(rows, dtype=torch.float64) * weights).tanh().sum())

    (states * weights).tanh().sum().backward()
    found = grad_cam(states.detach(), states.grad)
    expected = oracle.grad_cam(states.tolist(), score_of)
    assert found.tolist() == pytest.approx(expected, abs=1e-7)
    assert found.min() == 0 < found.max()


def test_by_hand():
    """Means of the gradients (2, -1); products 2*1 - 1*1, 2*0 - 1*3, 2*2 - 1*0."""
    states = torch.tensor([[1.0, 1.0], [0.0, 3.0], [2.0, 0.0]])
    gradients = torch.tensor([[3.0, 0.0], [0.0, -3.0], [3.0, 0.0]])
    assert grad_cam(states, gradients).tolist() == [1, 0, 4]


SYSTEMS = {
    "dense": {},
    **{
        name: {"encoder_embedder": name, **options}
        for name, options in COMPOSER_OPTIONS.items()
    },
}
TEXT = "kal xyz kal alarm"


def replaced(module, tensor, run):
    """What ``run()`` gives where ``module`` gives ``tensor`` (or a tuple)."""
    handle = module.register_forward_hook(lambda *_: tensor)
    try:
        return run()
    finally:
        handle.remove()


@pytest.mark.parametrize("system", SYSTEMS)
def test_words_of_a_model(system):
    model = label_model("byte_classifier", **SYSTEMS[system]).double()
    embedder, batch = model.encoder.embed_tokens, pad_batch([TEXT])
    with watched(embedder) as seen:
        score = model(batch)["scores"][0, 1]
    gradient = torch.autograd.grad(score, seen.states[0])[0][0]
    found = grad_cam(seen.states[0][0].detach(), gradient)
    mask = embedder(batch)[1]

    def score_of(rows):
        states = torch.tensor([rows], dtype=torch.float64)
        with torch.no_grad():
            return replaced(
                embedder, (states, mask), lambda: float(model(batch)["scores"][0, 1])
            )

    expected = oracle.grad_cam(seen.states[0][0].tolist(), score_of)
    assert found.tolist() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("system", sorted(SYSTEMS.keys() - {"dense", "words"}))
def test_every_word_is_composed_alone_and_the_same(system):
    model = label_model("byte_tagger", **SYSTEMS[system])
    embedder, batch = model.encoder.embed_tokens, pad_batch([TEXT])
    before = embedder(batch)[0]
    with watched(embedder) as seen:
        states, _ = embedder(batch)
    assert torch.allclose(states, before, atol=1e-5)
    assert torch.equal(seen.states[0], states)
    # "kal" and "alarm" are known words, which hybrid does not compose.
    num_composed = 2 if system.startswith("hybrid") else 5
    num_composed += system == "elmo"  # which reads <s> as well
    assert len(seen.symbols) == len(seen.characters) == num_composed
    for symbols, characters in zip(seen.symbols, seen.characters):
        assert characters.flatten(0, -2).shape[0] == len(symbols)
    # All is as it was.
    again = embedder(batch)[0]
    assert torch.equal(again, before)
    assert len(seen.states) == 1
