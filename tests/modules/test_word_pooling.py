import pytest
import torch

from fairseq_bytefusion.modules.embedders.composers import CharRNN
from fairseq_bytefusion.modules.word_pooling import POOLINGS, WordPooling
from fairseq_bytefusion.text import ByteDictionary

from ..helpers import SENTENCES, pad_batch
from ..oracles.words import pooled

LINES = [*SENTENCES, "  two  words ", "\ta\vb\rc\fd", " ", "a ", "é"]


def random_states(batch, dim=5):
    torch.manual_seed(1)
    return torch.randn(*batch.shape, dim, dtype=torch.float64)


def test_the_drawing_of_the_docstring():
    batch = pad_batch(["hi mom"], extra=1)
    states = torch.arange(1.0, 9.0).view(1, 8, 1)
    vectors, padding_mask = WordPooling(ByteDictionary())(states, batch)
    assert vectors.flatten().tolist() == [1.5, 5.0, 7.0]
    assert padding_mask.tolist() == [[False, False, False]]


@pytest.mark.parametrize("mode", POOLINGS)
@pytest.mark.parametrize("left", [False, True])
def test_against_a_sentence_at_a_time(mode, left):
    dictionary = ByteDictionary()
    batch = pad_batch(LINES, left=left, extra=2)
    states = random_states(batch).requires_grad_()
    found, padding_mask = WordPooling(dictionary, mode)(states, batch)
    expected = [
        pooled(row[ids.ne(1)], [dictionary.decode_bytes([i]) for i in ids[ids.ne(1)]], mode)
        for row, ids in zip(states, batch)
    ]
    for vectors, mask, wanted in zip(found, padding_mask, expected):
        assert mask.tolist() == [False] * len(wanted) + [True] * (len(mask) - len(wanted))
        assert torch.allclose(vectors[~mask], wanted, atol=1e-12)
        assert not vectors[mask].any()
    weights = torch.randn(5, dtype=torch.float64)
    one, other = (
        torch.autograd.grad(sum((x @ weights).sin().sum() for x in rows), states)[0]
        for rows in (list(found), expected)
    )
    assert torch.allclose(one, other, atol=1e-12)


def test_words_are_those_of_composers():
    composer = CharRNN(ByteDictionary(), 4)
    batch = pad_batch(LINES, left=True)
    _, padding_mask = WordPooling(ByteDictionary())(random_states(batch), batch)
    assert torch.equal(padding_mask, composer(batch)[1])


def test_a_row_of_padding_is_zero():
    batch = torch.cat([pad_batch(["a b"]), torch.ones(1, 4, dtype=torch.long)])
    vectors, padding_mask = WordPooling(ByteDictionary())(random_states(batch), batch)
    assert padding_mask[1].all()
    assert not vectors[1].any()


def test_no_other_mode():
    with pytest.raises(ValueError, match="unknown pooling 'max', choose from"):
        WordPooling(ByteDictionary(), "max")
