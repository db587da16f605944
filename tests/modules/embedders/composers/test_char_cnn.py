from argparse import Namespace

import pytest
import torch
from fairseq.data import Dictionary
from fairseq.modules.character_token_embedder import CharacterTokenEmbedder
from omegaconf import OmegaConf

from fairseq_bytefusion.models.options import EncoderOptions, complete, resolve_as_before
from fairseq_bytefusion.modules.embedders.composers import CharCNN
from fairseq_bytefusion.modules.embedders.composers.char_cnn import PRESETS, parse_filters
from fairseq_bytefusion.modules.highway import Highway

from ....helpers import model_args, pad_batch
from ....oracles import word_composers as oracle
from .composers import DICTIONARY, D, composer


@pytest.mark.parametrize(
    ("preset", "char_dim", "numbers", "highway_layers", "activation"),
    [
        ("kim-small", 15, [25, 50, 75, 100, 125, 150], 1, "tanh"),
        ("kim-large", 15, [50, 100, 150, 200, 200, 200, 200], 2, "tanh"),
        ("elmo", 16, [32, 32, 64, 128, 256, 512, 1024], 2, "relu"),
    ],
)
def test_presets(preset, char_dim, numbers, highway_layers, activation):
    assert PRESETS[preset].char_dim == char_dim
    assert PRESETS[preset].highway_layers == highway_layers
    assert PRESETS[preset].activation == activation
    assert parse_filters(preset) == list(enumerate(numbers, start=1))
    module = CharCNN(DICTIONARY, D, char_dim=char_dim, filters=parse_filters(preset))
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
    with pytest.raises(ValueError, match="unknown activation 'gelu', choose from"):
        CharCNN(DICTIONARY, D, activation="gelu")


def options_of(**given):
    return model_args(encoder_embedder="char-cnn", **given)


@pytest.mark.parametrize(
    ("given", "now", "before"),
    [
        ({"char_cnn_filters": "kim-small"}, (1, "tanh"), (2, "tanh")),
        ({"char_cnn_filters": "kim-large"}, (2, "tanh"), (2, "tanh")),
        ({"char_cnn_filters": "elmo"}, (2, "relu"), (2, "tanh")),
        ({"char_cnn_filters": "1:4"}, (2, "tanh"), (2, "tanh")),
        ({"char_cnn_style": "fairseq"}, (2, "relu"), (2, "relu")),
        (
            {"char_cnn_filters": "elmo", "char_cnn_activation": "tanh"},
            *[(2, "tanh")] * 2,
        ),
        (
            {"char_cnn_filters": "kim-large", "char_cnn_highway_layers": 0},
            *[(0, "tanh")] * 2,
        ),
    ],
    ids=str,
)
def test_what_a_preset_means_now_and_in_checkpoints_of_before(given, now, before):
    names = ("char_cnn_highway_layers", "char_cnn_activation")
    options = complete(EncoderOptions, options_of(**given))
    assert tuple(getattr(options, name) for name in names) == now
    saved = options_of(**given)
    resolve_as_before(EncoderOptions, saved)
    assert tuple(getattr(saved, name) for name in names) == before
    mixture = model_args(encoder_embedder="mixture", mixture_composer="char-cnn", **given)
    resolve_as_before(EncoderOptions, mixture)
    assert tuple(getattr(mixture, name) for name in names) == before


@pytest.mark.parametrize("kind", [Namespace, OmegaConf.create], ids=["args", "config"])
def test_older_checkpoints_lack_the_options(kind):
    given = {"encoder_embedder": "char-cnn", "char_cnn_filters": "kim-small"}
    saved = kind(**given) if kind is Namespace else kind(given)
    if kind is not Namespace:
        OmegaConf.set_struct(saved, True)
    resolve_as_before(EncoderOptions, saved)
    assert saved.char_cnn_highway_layers == 2
    assert saved.char_cnn_activation == "tanh"
    for other in ({}, {"encoder_embedder": "dense"}):
        saved = Namespace(**other)
        resolve_as_before(EncoderOptions, saved)
        assert vars(saved) == other


@pytest.mark.parametrize("highway_layers", [0, 1, 3])
def test_activations_and_highway_layers_are_the_oracles(highway_layers):
    module = composer("char-cnn", activation="relu", highway_layers=highway_layers).double()
    assert len(module.highway.layers) == highway_layers
    (states,), _ = module(pad_batch(["kal subah 7"]))
    for state, word in zip(states, oracle.characters_of(b"kal subah 7")):
        assert (state - oracle.char_cnn(module, word, relu=True)).abs().max() <= 1e-12


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
    ours = CharCNN(
        *(DICTIONARY, D), char_dim=5, filters=filters, style="fairseq", activation="relu"
    )
    copy_weights(theirs, ours)
    expected = theirs(torch.tensor([[vocabulary.index(word) for word in words]]))
    (states,), _ = ours(pad_batch([" ".join(words)]))
    assert (states[:-1] - expected[0]).abs().max() <= 1e-6
