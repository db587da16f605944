"""What masked characters are found from."""

from argparse import Namespace

import pytest
import torch

from fairseq_bytefusion.criterions.masked_characters import MaskedCharactersCriterion
from fairseq_bytefusion.data.masked_words import MaskedWordsDataset
from fairseq_bytefusion.models.masked_characters import WITH_STATES, MaskedCharactersModel
from fairseq_bytefusion.text import ByteDictionary

from ..helpers import DictionaryTask

BYTES = ByteDictionary()
WORDS = ["alarm", "é", "do", "दुनिया"]
OPTIONS = {
    "char-rnn": {"char_embed_dim": 8, "char_rnn_hidden_dim": 6},
    "char2subword": {"char_embed_dim": 8},
    "hit": {"char_embed_dim": 16, "hit_ffn_embed_dim": 8},
}


def build(name, **options):
    torch.manual_seed(1)
    given = {"encoder_embedder": name, "dropout": 0.0, **OPTIONS.get(name, {}), **options}
    return MaskedCharactersModel.build_model(Namespace(**given), DictionaryTask())


def batch_of(words, seed=1):
    counts = {word.encode(): 1 for word in words}
    found = MaskedWordsDataset(counts, BYTES, prob=0.5, seed=seed)
    return found.collater([found[i] for i in range(len(found))])


def test_there_are_three_with_states():
    assert sorted(WITH_STATES) == ["char-rnn", "char2subword", "hit"]


@pytest.mark.parametrize("name", WITH_STATES)
def test_a_word_alone_has_the_states_that_it_has_in_a_batch(name):
    model = build(name).double().eval()
    given = batch_of(WORDS)["net_input"]
    states = model.composer.character_states(given["symbols"], given["lengths"])
    assert states.shape == (*given["symbols"].shape, model.composer.character_dim)
    for row, length in enumerate(given["lengths"].tolist()):
        alone = given["symbols"][row : row + 1, :length]
        expected = model.composer.character_states(alone, torch.tensor([length]))
        assert (states[row, :length] - expected[0]).abs().max() <= 1e-12
        assert not states[row, length:].any()


@pytest.mark.parametrize("name", WITH_STATES)
def test_every_gradient_is_there_and_the_loss_is_the_mean_surprise(name):
    model, sample = build(name), batch_of(WORDS)
    loss, size, log = MaskedCharactersCriterion(DictionaryTask())(model, sample)
    loss.backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
    logits = model(**sample["net_input"]).detach()
    assert len(logits) == size == int(sample["net_input"]["chosen"].sum())
    expected = 0.0
    for row, target in zip(logits, sample["target"].tolist()):
        expected -= float(row.double().log_softmax(0)[target])
    assert loss.item() == pytest.approx(expected, rel=1e-5)
    assert log["right"] == logits.argmax(1).eq(sample["target"]).sum()


@pytest.mark.parametrize("name", WITH_STATES)
def test_a_masked_character_is_not_seen(name):
    """Two words that differ in what is masked are the same to the model."""
    model, found = build(name).eval(), []
    for word in (b"alarm", b"alack"):
        masked = BYTES.encode_line(word, append_eos=False).long()
        masked[3:] = BYTES.unk()
        chosen = masked.eq(BYTES.unk())[None]
        found.append(model(masked[None], torch.tensor([5]), chosen))
    assert torch.equal(*found)
    assert found[0].shape == (2, len(BYTES))
    assert (found[0][0] - found[0][1]).abs().max() > 0  # but places differ


@pytest.mark.parametrize("name", WITH_STATES)
def test_words_are_learned(name):
    model, task = build(name), DictionaryTask()
    criterion = MaskedCharactersCriterion(task)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    first = last = None
    for step in range(150):
        loss, size, _ = criterion(model, batch_of(WORDS, seed=(step, 1)))
        optimizer.zero_grad()
        (loss / size).backward()
        optimizer.step()
        last = loss.item() / size
        first = last if first is None else first
    assert last < 0.35 * first


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"name": "char-cnn"},
            "--encoder-embedder char-cnn has no states of characters to",
        ),
        ({"name": "mixture"}, "choose char2subword, char-rnn, hit|choose .*char-rnn"),
        (
            {"name": "hit", "char_embed_dim": 7},
            "--char-embed-dim 7 must be even, at least 4",
        ),
        (
            {"name": "char-rnn", "hit_layers": 2},
            "--hit-layers 2 .* does nothing with --enc",
        ),
    ],
)
def test_what_cannot_be_trained_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        build(**options)
