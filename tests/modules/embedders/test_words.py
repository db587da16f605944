import pytest
import torch

from fairseq_bytefusion.modules.embedders import Words
from fairseq_bytefusion.text import ByteDictionary

from ...helpers import SENTENCES, pad_batch
from ...oracles.word_composers import EOS, characters_of

D = 6
WORDS = [b"kal", "мир".encode(), b"a", b"x" * 150]
KNOWN = {tuple(b + 4 for b in word): row for row, word in enumerate(WORDS)}
RAGGED = [*SENTENCES, "kal kal a b", "kal subah мир"]
UNKNOWN, END = 0, 1


def words(dictionary=None, **options):
    torch.manual_seed(0)
    return Words(WORDS, dictionary or ByteDictionary(), D, **options)


def row_of(module, word):
    """What a word (list of int) must become."""
    if word == [EOS]:
        return module.others.weight[END]
    row = KNOWN.get(tuple(word))
    return module.others.weight[UNKNOWN] if row is None else module.table.weight[row]


@pytest.mark.parametrize("left", [False, True])
def test_a_batch_is_rows(left):
    module = words(word_dropout=0.5).eval()
    states, padding_mask = module(pad_batch(RAGGED, left=left, extra=1))
    assert (states[padding_mask] == 0).all()
    found = states[~padding_mask]
    target = torch.randn_like(found)
    (found * target).sum().backward()
    gradients = {n: p.grad.clone() for n, p in module.named_parameters()}
    module.zero_grad()

    cut = [w for s in RAGGED for w in characters_of(s.encode(), 10**6)]
    expected = torch.stack([row_of(module, word) for word in cut])
    assert torch.equal(found, expected)
    (expected * target).sum().backward()
    for name, parameter in module.named_parameters():
        assert (gradients[name] - parameter.grad).abs().max() <= 1e-5, name


def test_padding_only():
    states, padding_mask = words()(torch.ones(2, 3, dtype=torch.long))
    assert states.shape == (2, 1, D)
    assert (states == 0).all()
    assert padding_mask.all()


def test_language_tags_have_rows_of_their_own():
    dictionary = ByteDictionary()
    dictionary.set_tags(["de", "fr"])
    module = words(dictionary)
    de, fr = dictionary.tags.values()
    (states,), _ = module(torch.tensor([[de, fr, 2, 99]]))
    assert len(module.others.weight) == 4  # unknown, </s>, de, fr
    assert len(states.unique(dim=0)) == 4
    assert torch.equal(states[3], module.others.weight[UNKNOWN])


def test_dropped_words_are_read_as_unknown_ones():
    module = words(word_dropout=0.25).train()
    batch = pad_batch(["kal a kal b"]).repeat(500, 1)
    states, padding_mask = module(batch)
    unknown, known = module.others.weight[UNKNOWN], module.table.weight
    dropped = (states == unknown).all(2)
    assert not padding_mask.any()
    assert dropped[:, 3].all()
    assert not dropped[:, 4].any()  # </s>
    assert torch.equal(states[:, 0][~dropped[:, 0]].unique(dim=0), known[:1])
    assert dropped[:, :3].float().mean().item() == pytest.approx(0.25, abs=0.03)
    # Each time it occurs, not once a batch.
    assert 0 < (dropped[:, 0] ^ dropped[:, 2]).float().mean() < 1


def test_in_evaluation_nothing_is_dropped():
    module = words(word_dropout=0.9).eval()
    (states,), _ = module(pad_batch(["kal a kal"]))
    assert torch.equal(states[:3], module.table.weight[[0, 2, 0]])


def test_dropout_leaves_padding_alone():
    module = words(word_dropout=0.9).train()
    states, padding_mask = module(pad_batch(["kal a kal a kal a", "a"]))
    assert (states[padding_mask] == 0).all()


def test_a_checkpoint_of_other_words_is_refused():
    saved = words().state_dict()
    words().half().load_state_dict(saved)
    other = Words([*WORDS[1:], WORDS[0]], ByteDictionary(), D)
    with pytest.raises(ValueError, match="is not the one of training"):
        other.load_state_dict(saved)
