import pytest
import torch

from fairseq_bytefusion.models.language_model_builder import rebuild_language_model
from fairseq_bytefusion.modules.embedders import Elmo
from fairseq_bytefusion.text import ByteDictionary

from ...helpers import SENTENCES, TINY_LANGUAGE_MODEL, build_model, pad_batch
from ...oracles.language_model import directed_layers, mixed


def elmo(seed=2, direction="both", **options):
    torch.manual_seed(seed)
    saved = {**TINY_LANGUAGE_MODEL, "direction": direction}
    module = Elmo(rebuild_language_model(saved, ByteDictionary()), 6, **options).double()
    with torch.no_grad():
        module.mix.scores.copy_(torch.tensor([0.5, -1.0, 1.5]))
        module.mix.gamma.fill_(1.7)
    return module.eval()


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("direction", ["both", "forward"])
@torch.no_grad()
def test_it_is_the_equation_a_word_at_a_time(direction, left):
    module = elmo(direction=direction)
    states, padding_mask = module(pad_batch(SENTENCES, left=left, extra=2))
    model = module.language_model
    for row, sentence in enumerate(SENTENCES):
        composed = model.read(pad_batch([sentence])).composed[0]
        parts = [getattr(model, f"{name}_layers") for name in model.directions]
        layers = [[composed] * len(parts)]
        layers += zip(*(directed_layers(part, composed) for part in parts))
        own = states[row, ~padding_mask[row]]
        assert len(own) == len(composed) - 1  # without <s>
        for k, state in enumerate(own, start=1):
            h = [torch.cat([part[k] for part in layer]).tolist() for layer in layers]
            v = torch.tensor(mixed([0.5, -1.0, 1.5], 1.7, h), dtype=torch.float64)
            expected = module.projection.weight @ v + module.projection.bias
            assert (state - expected).abs().max() <= 1e-9
    assert (states[padding_mask] == 0).all()


@pytest.mark.parametrize("finetune", [False, True])
def test_the_language_model_is_kept_unless_asked(finetune):
    module = elmo(finetune=finetune, dropout=0.1).train()
    parameters = list(module.language_model.parameters())
    assert {p.requires_grad for p in parameters} == {finetune}
    assert module.language_model.training == finetune
    module(pad_batch(SENTENCES))[0].sum().backward()
    assert all((p.grad is not None) == finetune for p in parameters)
    for name, parameter in module.named_parameters():
        if not name.startswith("language_model."):
            assert parameter.grad.isfinite().all(), name


def test_a_batch_of_padding_has_one_column():
    states, padding_mask = elmo()(torch.ones(2, 3, dtype=torch.long))
    assert states.shape == (2, 1, 6)
    assert padding_mask.all() and not states.any()


WRONG = {
    "nothing to stand on": ({}, "stands on a language model: give --elmo-from"),
    "dropout": ({"elmo_from": "x", "elmo_dropout": 1.0}, "--elmo-dropout 1 must be"),
    "fusion": ({"elmo_from": "x", "encoder_fusion": "ncf"}, "ncf"),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_options_that_contradict_each_other(options, message):
    with pytest.raises(ValueError, match=message):
        build_model(encoder_embedder="elmo", **options)


def test_its_options_need_it():
    with pytest.raises(ValueError, match="--elmo-from x .* does nothing with"):
        build_model(elmo_from="x")
