import logging

import pytest
import torch
from fairseq.data import Dictionary
from fairseq.modules.character_token_embedder import CharacterTokenEmbedder

from fairseq_bytefusion.modules.embedders import (
    COMPOSERS,
    EMBEDDERS,
    Char2Subword,
    CharCNN,
    CharRNN,
)
from fairseq_bytefusion.modules.embedders.char2subword import PAPER, Char2SubwordLayer
from fairseq_bytefusion.modules.embedders.char_cnn import PRESETS, parse_filters
from fairseq_bytefusion.modules.highway import Highway
from fairseq_bytefusion.text import ByteDictionary

from ..helpers import SENTENCES, pad_batch
from ..oracles import word_composers as oracle

D = 6
DICTIONARY = ByteDictionary()
RAGGED = [*SENTENCES, "a \t b  a ", "y" * 500, "to be or not to be", "x" * 48 + "日"]
SIZES = {
    "char2subword": {"char_dim": 8, "heads": 2},
    "char-cnn": {"char_dim": 5, "filters": [(1, 2), (3, 4), (7, 5)]},
    "char-rnn": {"char_dim": 5, "hidden_dim": 4},
}


def composer(name, dim=D, **options):
    torch.manual_seed(0)
    module = EMBEDDERS[name](DICTIONARY, dim, **{**SIZES[name], **options})
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
        module.characters.weight[1] = 0
    return module


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


# --- char2subword ------------------------------------------------------------------


def test_residuals_add_the_normalised_input():
    layer = Char2SubwordLayer(4, 2)
    with torch.no_grad():
        for linear in (layer.self_attn.out_proj, layer.fc2):
            linear.weight.zero_()
            linear.bias.zero_()
    (found,) = layer(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), [(1, 1)])
    expected = torch.tensor([-1.3416, -0.4472, 0.4472, 1.3416])
    assert (found - expected).abs().max() <= 1e-4


def test_char2subword_positions_are_sinusoids():
    positions = composer("char2subword").positions
    assert positions.shape == (52, 8)
    for t in (0, 1, 51):
        for i in range(4):
            angle = torch.tensor(float(t)) / 10000 ** (i / 3)
            assert positions[t, i] == pytest.approx(angle.sin().item(), abs=1e-5)
            assert positions[t, 4 + i] == pytest.approx(angle.cos().item(), abs=1e-5)


def test_char2subword_output_is_normalised():
    module = Char2Subword(DICTIONARY, 64, char_dim=16)
    (states,), _ = module(pad_batch(["some words of text"]))
    assert torch.allclose(states.mean(-1), torch.zeros(5), atol=1e-5)
    assert torch.allclose(states.norm(dim=-1), torch.full((5,), 8.0), atol=1e-2)


def test_char2subword_dropout():
    module = Char2Subword(DICTIONARY, D, char_dim=16, dropout=0.5).train()
    batch = pad_batch(["some words"])
    assert not torch.equal(module(batch)[0], module(batch)[0])
    assert torch.equal(module.eval()(batch)[0], module(batch)[0])


def test_size_of_the_papers_module():
    module = Char2Subword(DICTIONARY, 768, **PAPER)
    assert len(module.layers) == 6
    assert 40e6 < sum(p.numel() for p in module.parameters()) < 50e6


# --- char-cnn ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("preset", "char_dim", "numbers"),
    [
        ("kim-small", 15, [25, 50, 75, 100, 125, 150]),
        ("kim-large", 15, [50, 100, 150, 200, 200, 200, 200]),
        ("elmo", 16, [32, 32, 64, 128, 256, 512, 1024]),
    ],
)
def test_presets(preset, char_dim, numbers):
    assert PRESETS[preset][0] == char_dim
    assert parse_filters(preset) == list(enumerate(numbers, start=1))
    module = CharCNN(DICTIONARY, D, char_dim, parse_filters(preset))
    assert module.projection.in_features == sum(numbers)


def test_every_preset_is_tested():
    assert set(PRESETS) == {"kim-small", "kim-large", "elmo"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("huge", "neither of kim-small, kim-large, elmo nor a list"),
        ("", "nor a list"),
        ("1:2:3", "nor a list"),
        ("1", "nor a list"),
        ("0:5", "above 0"),
        ("3:0", "above 0"),
    ],
)
def test_wrong_filters(text, message):
    with pytest.raises(ValueError, match=message):
        parse_filters(text)


def test_filters_and_styles_that_do_not_fit():
    assert parse_filters("1:5, 3:7") == [(1, 5), (3, 7)]
    with pytest.raises(ValueError, match="above 0"):
        CharCNN(DICTIONARY, D, filters=[])
    with pytest.raises(ValueError, match="wider than the longest word, 4"):
        CharCNN(DICTIONARY, D, filters=[(5, 1)], max_chars=4, style="fairseq")
    with pytest.raises(ValueError, match="unknown style 'elmo'"):
        CharCNN(DICTIONARY, D, style="elmo")


def test_words_shorter_than_a_filter_do_not_depend_on_the_batch():
    module = composer("char-cnn", filters=[(7, 5)]).double()
    (alone,), _ = module(pad_batch(["a"]))
    together, _ = module(pad_batch(["a", "a", "q" * 60], left=True))
    assert torch.allclose(together[0, :2], alone, atol=1e-12)


def test_highway_by_hand():
    module = Highway(2, layers=1)
    assert module.layers[0].bias.tolist() == [0, 0, -2, -2]
    with torch.no_grad():
        module.layers[0].weight.copy_(
            torch.tensor([[1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, 0.0]])
        )
    # relu(Wx) = (2, 0); gates sigmoid(2 - 2) = 1/2 and sigmoid(-2) = 0.1192
    found = module(torch.tensor([2.0, 3.0]))
    assert torch.allclose(found, torch.tensor([2.0, 3 * (1 - 0.1192029)]), atol=1e-6)


def test_highway_starts_by_carrying_its_input():
    module = Highway(8)
    with torch.no_grad():
        for layer in module.layers:
            layer.weight.zero_()
    x = torch.rand(3, 8)
    carried = torch.sigmoid(torch.tensor(2.0)) ** 2
    assert torch.allclose(module(x), carried * x, atol=1e-6)


def fairseq_embedder(filters, words):
    """fairseq's module with random weights, over ``words`` (list of str)."""
    vocabulary = Dictionary()
    for word in words:
        vocabulary.add_symbol(word)
    torch.manual_seed(2)
    theirs = CharacterTokenEmbedder(vocabulary, filters, 5, D, highway_layers=2)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
        theirs.char_embeddings.weight[0] = 0
    return theirs, vocabulary


def copy_weights(theirs, ours):
    """fairseq numbers byte b as b + 1, and its gates carry where ours transform."""
    state = {
        name: value
        for name, value in theirs.state_dict().items()
        if name.startswith(("convolutions", "highway", "projection"))
    }
    for i in range(2):
        for kind in ("weight", "bias"):
            halves = state[f"highway.layers.{i}.{kind}"].chunk(2)
            state[f"highway.layers.{i}.{kind}"] = torch.cat([halves[0], -halves[1]])
    rows = torch.zeros(260, 5)
    rows[4:] = theirs.char_embeddings.weight[1:].detach()
    ours.load_state_dict({**state, "characters.weight": rows}, strict=True)


def test_parity_with_fairseqs_character_token_embedder():
    filters = [(1, 3), (2, 4), (7, 6)]
    words = ["a", "kal", "Привет", "traffic", "w" * 49, "v" * 50, "u" * 70]
    theirs, vocabulary = fairseq_embedder(filters, words)
    ours = CharCNN(DICTIONARY, D, 5, filters, style="fairseq")
    copy_weights(theirs, ours)
    expected = theirs(torch.tensor([[vocabulary.index(word) for word in words]]))
    (states,), _ = ours(pad_batch([" ".join(words)]))
    assert (states[:-1] - expected[0]).abs().max() <= 1e-6


# --- char-rnn ----------------------------------------------------------------------


def test_char_rnn_reads_no_padding():
    module = CharRNN(DICTIONARY, D).double()
    (alone,), _ = module(pad_batch(["ab"]))
    together, _ = module(pad_batch(["ab", "a much-longer-word"], left=True, extra=4))
    assert torch.allclose(together[0, :2], alone, atol=1e-12)
