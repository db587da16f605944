"""Language models over every word composer."""

import math
from argparse import Namespace

import pytest
import torch
from fairseq.models import ARCH_CONFIG_REGISTRY

from fairseq_bytefusion.criterions.word_language_model import WordLanguageModelCriterion
from fairseq_bytefusion.models.options import complete
from fairseq_bytefusion.models.options.bilm import BiLMConfig
from fairseq_bytefusion.modules.embedders import COMPOSERS
from fairseq_bytefusion.modules.heads import word_softmax
from fairseq_bytefusion.modules.heads.word_softmax import BEGIN, END, UNKNOWN

from ..helpers import SENTENCES, DictionaryTask, pad_batch
from ..oracles.language_model import directed_layers
from .language_models import COMPOSER_OPTIONS, language_model

KAL, ALARM = 4, 5  # rows of words of DictionaryTask
DIRECTIONS = {"forward": -1, "backward": 1}


def test_every_composer_is_among_the_options():
    assert set(COMPOSER_OPTIONS) == set(COMPOSERS)


@pytest.mark.parametrize("left", [False, True])
def test_what_each_state_has_to_tell(left):
    model = language_model()
    told = model(pad_batch(["kal alarm foo", "", "a"], left=left, extra=1))
    _, rows, tells = told["forward"]
    assert rows.tolist() == [KAL, ALARM, UNKNOWN, END, END, 3, END]
    assert tells.sum(1).tolist() == [4, 1, 2]
    assert not tells[:, 0].any()
    _, rows, tells = told["backward"]
    assert rows.tolist() == [BEGIN, KAL, ALARM, UNKNOWN, BEGIN, BEGIN, 3]
    assert tells[:, 0].all()


@pytest.mark.parametrize("name", COMPOSERS)
def test_states_are_those_of_a_sentence_at_a_time(name):
    model = language_model(name).double()
    with torch.no_grad():
        found = model.encoder.read(pad_batch(SENTENCES, left=True, extra=2))
        for row in range(len(SENTENCES)):
            own = found.composed[row, ~found.padding_mask[row]]
            for direction, layers in found.layers.items():
                module = getattr(model.encoder, f"{direction}_layers")
                for states, expected in zip(layers, directed_layers(module, own)):
                    assert (states[row, : len(own)] - expected).abs().max() <= 1e-10


@pytest.mark.parametrize("name", COMPOSERS)
def test_no_state_knows_what_it_has_to_tell(name):
    """The Jacobian by the embedding of each character: letters differ in every word."""
    model = language_model(name)
    letters = ["ab", "cd", "ef", "gh"]
    dictionary = DictionaryTask().source_dictionary
    ids = [dictionary.symbol_ids(word.encode()).tolist() for word in letters]
    found = model.encoder.read(pad_batch([" ".join(letters), "x"]))
    weight = model.encoder.embed_tokens.characters.weight
    for direction, layers in found.layers.items():
        for k in range(len(letters)):
            for states in layers:
                (jacobian,) = torch.autograd.grad(
                    states[0, 1 + k].sum(), weight, retain_graph=True
                )
                seen = [bool(jacobian[own].ne(0).any()) for own in ids]
                knows = [n <= k if direction == "forward" else n >= k for n in range(4)]
                assert seen == knows, (direction, k)


@pytest.mark.parametrize("name", COMPOSERS)
def test_batch_padding_and_order_change_nothing(name):
    model = language_model(name)

    def scores(batch):
        with torch.no_grad():
            return {
                n: [
                    model.log_probabilities(part)
                    for part in states.split(tells.sum(1).tolist())
                ]
                for n, (states, _, tells) in model(batch).items()
            }

    alone = [scores(pad_batch([sentence])) for sentence in SENTENCES]
    for left, order in ((False, 1), (True, -1)):
        together = scores(pad_batch(SENTENCES[::order], left=left, extra=3))
        for direction in DIRECTIONS:
            for found, expected in zip(together[direction][::order], alone):
                assert (found - expected[direction][0]).abs().max() <= 1e-5


@pytest.mark.parametrize("name", COMPOSERS)
@pytest.mark.parametrize("direction", ["both", "forward"])
def test_every_parameter_gets_a_gradient(name, direction):
    model = language_model(name, direction=direction).train()
    batch = torch.cat([pad_batch(SENTENCES), torch.ones(1, 151, dtype=torch.long)])
    loss, size, _ = loss_of(model, batch)
    loss.backward()
    assert size == sum(len(s.split()) + 1 for s in SENTENCES) + 1  # one of white space
    for parameter_name, parameter in model.named_parameters():
        assert parameter.grad is not None, parameter_name
        assert parameter.grad.isfinite().all(), parameter_name


def loss_of(model, batch):
    criterion = WordLanguageModelCriterion(None)
    sample = {"net_input": {"src_tokens": batch}, "id": batch[:, 0], "ntokens": 1}
    return criterion(model, sample)


@torch.no_grad()
def test_the_loss_is_the_mean_of_both_cross_entropies():
    model = language_model()
    batch = pad_batch(["kal alarm", "foo"])
    loss, size, log = loss_of(model, batch)
    sums = {}
    for direction, (states, rows, _) in model(batch).items():
        logits = states.tolist(), model.output.weight.tolist(), model.output.bias.tolist()
        total = 0.0
        for state, row in zip(logits[0], rows.tolist()):
            scores = [
                sum(x * w for x, w in zip(state, weights)) + b
                for weights, b in zip(*logits[1:])
            ]
            total += math.log(sum(map(math.exp, scores))) - scores[row]
        sums[direction] = total
    assert size == 5
    assert float(loss) == pytest.approx(sum(sums.values()) / 2, rel=1e-5)
    for direction, total in sums.items():
        assert float(log[f"loss_{direction}"]) == pytest.approx(total, rel=1e-5)
    assert log["unk"] == 1


@pytest.mark.parametrize(
    ("name", "highway", "width"), [("char_lm_small", 1, 300), ("char_lm_large", 2, 650)]
)
def test_the_presets_of_kim(name, highway, width):
    args = Namespace(lstm_layers=1)
    ARCH_CONFIG_REGISTRY[name](args)
    options = complete(BiLMConfig, args)
    assert options.char_cnn_highway_layers == highway
    assert (options.lstm_dim, options.dropout) == (width, 0.5)
    assert (options.direction, options.lstm_layers) == ("forward", 1)  # flags win


WRONG = {
    "narrow": ({"lstm_dim": 8}, "--lstm-dim 8 is less than --encoder-embed-dim 16"),
    "none": ({"lstm_layers": 0}, "--lstm-layers 0 must be at least 1"),
    "idle": ({"hit_layers": 2}, r"--hit-layers 2 .* does nothing with"),
    "frozen": ({"freeze_composer": True}, "would keep random weights"),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_options_that_contradict_each_other(options, message):
    with pytest.raises(ValueError, match=message):
        language_model(**options)


def test_too_many_words_are_refused(monkeypatch):
    monkeypatch.setattr(word_softmax, "MAX_WORDS", 4)
    with pytest.raises(ValueError, match="5 words are too many for one softmax"):
        language_model()
