import pytest
import torch

from fairseq_bytefusion.modules.embedders import Mixture
from fairseq_bytefusion.modules.embedders.composers import CharRNN
from fairseq_bytefusion.modules.embedders.mixture import MIXTURES
from fairseq_bytefusion.text import ByteDictionary

from ...helpers import SENTENCES, pad_batch
from ...oracles.word_composers import char_rnn, characters_of

D = 6
WORDS = [b"kal", "мир".encode(), b"a", b"x" * 150]
KNOWN = {tuple(b + 4 for b in word): row for row, word in enumerate(WORDS)}
RAGGED = [*SENTENCES, "kal kal a b", "kal subah мир"]


def mixture(mode):
    torch.manual_seed(0)
    composer = CharRNN(ByteDictionary(), D, char_dim=5, hidden_dim=4)
    return Mixture(composer, WORDS, ByteDictionary(), mode).double()


def mixed(module, word):
    """What a word (list of int) must become."""
    row = KNOWN.get(tuple(word))
    entry = torch.zeros(D).double() if row is None else module.table.weight[row]
    composed = char_rnn(module.composer, word[:50])
    if module.mode == "sum":
        return composed + entry
    if module.mode == "concat":
        return module.projection(torch.cat([composed, entry]))
    return composed if row is None else entry


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("mode", MIXTURES)
def test_a_batch_is_the_oracles_words(mode, left):
    module = mixture(mode)
    states, padding_mask = module(pad_batch(RAGGED, left=left, extra=1))
    assert (states[padding_mask] == 0).all()
    found = states[~padding_mask]
    target = torch.randn_like(found)
    (found * target).sum().backward()
    gradients = {n: p.grad.clone() for n, p in module.named_parameters()}
    module.zero_grad()

    words = [w for s in RAGGED for w in characters_of(s.encode(), 10**6)]
    expected = torch.stack([mixed(module, word) for word in words])
    assert (found - expected).abs().max() <= 1e-9
    (expected * target).sum().backward()
    for name, parameter in module.named_parameters():
        assert (gradients[name] - parameter.grad).abs().max() <= 1e-9, name


def test_hybrid_gives_known_words_exactly_their_row():
    module = mixture("hybrid")
    (states,), _ = module(pad_batch(["мир kal b a"]))
    assert torch.equal(states[[0, 1, 3]], module.table.weight[[1, 0, 2]])


def test_hybrid_does_not_compose_known_words(monkeypatch):
    module, rows = mixture("hybrid"), []
    compose = module.composer.compose

    def counted(symbols, lengths):
        rows.append(len(symbols))
        return compose(symbols, lengths)

    monkeypatch.setattr(module.composer, "compose", counted)
    module(pad_batch(["kal a b kal"]))
    assert rows == [2]  # b, </s>


@pytest.mark.parametrize("mode", MIXTURES)
def test_padding_only(mode):
    states, padding_mask = mixture(mode)(torch.ones(2, 3, dtype=torch.long))
    assert (states == 0).all()
    assert padding_mask.all()


def test_a_checkpoint_of_other_words_is_refused():
    saved = mixture("sum").state_dict()
    mixture("sum").half().load_state_dict(saved)
    other = Mixture(
        mixture("sum").composer, [*WORDS[1:], WORDS[0]], ByteDictionary(), "sum"
    )
    with pytest.raises(ValueError, match="is not the one of training"):
        other.load_state_dict(saved)


def test_unknown_mode():
    with pytest.raises(ValueError, match="unknown mixture 'mean'"):
        mixture("mean")
