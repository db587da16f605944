import pytest
import torch

from fairseq_bytefusion.modules.embedders.composers.hit import POOLINGS, maximum_of, mean_of

from ....helpers import pad_batch
from ....oracles import word_composers as oracle
from .composers import RAGGED, composer


@pytest.mark.parametrize("pooling", POOLINGS)
def test_every_pooling_is_the_oracles(pooling):
    module = composer("hit", pooling=pooling, layers=2).double()
    states, padding_mask = module(pad_batch(RAGGED, left=True))
    words = [w for s in RAGGED for w in oracle.characters_of(s.encode())]
    expected = torch.stack([oracle.hit(module, word) for word in words])
    assert (states[~padding_mask] - expected).abs().max() <= 1e-9


def test_pooling_by_hand():
    states = torch.tensor([[[1.0, -4.0], [3.0, -2.0], [9.0, 9.0]]])
    padding_mask = torch.tensor([[False, False, True]])
    assert mean_of(states, padding_mask).tolist() == [[2.0, -3.0]]
    assert maximum_of(states, padding_mask).tolist() == [[3.0, -2.0]]


def test_unknown_pooling():
    with pytest.raises(ValueError, match="unknown pooling 'last', choose from .*attention"):
        composer("hit", pooling="last")


def test_the_order_of_characters_counts():
    (states,), _ = composer("hit")(pad_batch(["stop pots"]))
    assert (states[0] - states[1]).abs().max() > 0.01


def test_characters_of_other_words_are_not_seen():
    module = composer("hit")
    (first,), _ = module(pad_batch(["kal subah alarm"]))
    (second,), _ = module(pad_batch(["kal shaam 7"]))
    assert torch.equal(first[0], second[0])


def test_dropout():
    module = composer("hit", dropout=0.5).train()
    batch = pad_batch(["some words"])
    assert not torch.equal(module(batch)[0], module(batch)[0])
    assert torch.equal(module.eval()(batch)[0], module(batch)[0])


def test_autocast():
    module, batch = composer("hit"), pad_batch(RAGGED)
    expected, _ = module(batch)
    with torch.autocast("cpu", torch.bfloat16):
        found, _ = module(batch)
    found.float().sum().backward()
    assert (found - expected).abs().max() <= 0.1
    assert all(p.grad.isfinite().all() for p in module.parameters())
