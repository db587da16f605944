import logging

import pytest
import torch
from fairseq.data import Dictionary

from fairseq_bytefusion.modules.embedders import COMPOSERS, EMBEDDERS

from ....helpers import pad_batch
from ....oracles import word_composers as oracle
from .composers import RAGGED, SIZES, D, composer


def words_by_sentence(states, padding_mask):
    return [row[~mask] for row, mask in zip(states, padding_mask)]


def test_every_composer_has_an_oracle():
    assert set(oracle.ORACLES) == set(COMPOSERS) == set(SIZES)


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("max_chars", [50, 3])
@pytest.mark.parametrize("name", COMPOSERS)
def test_a_batch_is_the_oracles_words(name, max_chars, left):
    module = composer(name, max_chars=max_chars).double()
    batch = pad_batch(RAGGED, left=left, extra=2)
    states, padding_mask = module(batch)
    found = words_by_sentence(states, padding_mask)
    target = [torch.randn_like(row) for row in found]
    sum((row * t).sum() for row, t in zip(found, target)).backward()
    gradients = {n: p.grad.clone() for n, p in module.named_parameters()}
    module.zero_grad()

    compose = oracle.ORACLES[name]
    expected = [
        torch.stack(
            [compose(module, w) for w in oracle.characters_of(s.encode(), max_chars)]
        )
        for s in RAGGED
    ]
    for ours, theirs in zip(found, expected):
        assert (ours - theirs).abs().max() <= 1e-9
    sum((row * t).sum() for row, t in zip(expected, target)).backward()
    for parameter_name, parameter in module.named_parameters():
        difference = gradients[parameter_name] - parameter.grad
        assert difference.abs().max() <= 1e-9, parameter_name


@pytest.mark.parametrize("name", COMPOSERS)
def test_padding_is_zero_and_on_the_right(name):
    module = composer(name)
    batch = torch.cat([pad_batch(["a b c", ""]), torch.ones(1, 6, dtype=torch.long)])
    for tokens in (batch, batch.flip(1).roll(0, 1)):
        states, padding_mask = module(tokens)
        assert states.shape[:2] == padding_mask.shape
        assert (states[padding_mask] == 0).all()
    states, padding_mask = module(batch)
    assert padding_mask.tolist() == [[False] * 4, [False] + [True] * 3, [True] * 4]


@pytest.mark.parametrize("name", COMPOSERS)
def test_a_batch_of_padding_has_one_column(name):
    states, padding_mask = composer(name)(torch.ones(2, 3, dtype=torch.long))
    assert states.shape == (2, 1, D)
    assert (states == 0).all()
    assert padding_mask.all()


@pytest.mark.parametrize("name", COMPOSERS)
def test_shuffled_words_have_shuffled_vectors(name):
    module = composer(name)
    words = ["kal", "subah", "7", "baje", "alarm", "laga", "do", "😀"]
    order = torch.randperm(len(words)).tolist()
    (states,), _ = module(pad_batch([" ".join(words)]))
    (shuffled,), _ = module(pad_batch(["  ".join(words[i] for i in order)]))
    assert torch.equal(shuffled, states[[*order, len(words)]])


@pytest.mark.parametrize("name", COMPOSERS)
def test_equal_words_are_composed_once(name, monkeypatch):
    module, rows = composer(name), []
    compose = module.compose

    def counted(symbols, lengths):
        rows.append(len(symbols))
        return compose(symbols, lengths)

    monkeypatch.setattr(module, "compose", counted)
    (first, second), _ = module(pad_batch(["one two one", "two\tthree one"]))
    assert rows == [4]  # one, two, three, </s>
    assert torch.equal(first[0], first[2])
    assert torch.equal(first[1], second[0])
    assert torch.equal(first[3], second[3])


@pytest.mark.parametrize("name", COMPOSERS)
def test_cut_words_are_counted_and_logged(name, caplog):
    module = composer(name, max_chars=4)
    with caplog.at_level(logging.WARNING):
        (states,), _ = module(pad_batch(["abcde abcdX abcd abcde"]))
    assert module.num_cut == 3
    assert "first 4 symbols (--max-word-chars), so far: 3" in caplog.text
    assert torch.allclose(states[0], states[2], atol=1e-6)
    assert torch.allclose(states[1], states[2], atol=1e-6)
    for _ in range(5):
        module(pad_batch(["abcde"]))
    assert len(caplog.records) == 1
    module(pad_batch(["abcde " * 2]))
    assert len(caplog.records) == 2


@pytest.mark.parametrize("name", COMPOSERS)
def test_every_parameter_gets_a_finite_gradient(name):
    module = composer(name)
    module(pad_batch(RAGGED))[0].logsumexp(-1).sum().backward()
    for parameter_name, parameter in module.named_parameters():
        assert parameter.grad.isfinite().all(), parameter_name
    assert (module.characters.weight.grad[1] == 0).all()


@pytest.mark.parametrize("name", COMPOSERS)
def test_character_units(name):
    dictionary = Dictionary()
    a, space, wide = (dictionary.add_symbol(s) for s in ("a", " ", "世"))
    module = EMBEDDERS[name](dictionary, D, **SIZES[name])
    states, padding_mask = module(torch.tensor([[a, wide, space, space, wide, 2]]))
    assert not padding_mask.any()
    assert states.shape == (1, 3, D)
    assert states.isfinite().all()
