"""Heads that look ahead: their loss, and what it leaves as it is."""

import pytest
import torch
from fairseq.criterions.label_smoothed_cross_entropy import (
    LabelSmoothedCrossEntropyCriterion,
)
from fairseq.logging import metrics

from fairseq_bytefusion.criterions.lookahead import LookaheadCriterion
from fairseq_bytefusion.text import ByteDictionary

from ..helpers import DictionaryTask, build_model, pad_batch
from ..oracles.lookahead import lookahead_loss

BYTES = ByteDictionary()
PAD, EOS = BYTES.pad(), BYTES.eos()


def sample_of(texts):
    target = pad_batch(texts)
    previous = target.roll(1, 1)
    previous[target.eq(PAD)] = PAD
    previous[:, 0] = EOS
    source = pad_batch(texts[::-1])
    return {
        "net_input": {
            "src_tokens": source,
            "src_lengths": source.ne(PAD).sum(1),
            "prev_output_tokens": previous,
        },
        "target": target,
        "ntokens": int(target.ne(PAD).sum()),
    }


def model_of(heads=3, seed=1):
    model = build_model(lookahead_heads=heads).double()
    torch.manual_seed(seed)
    for parameter in model.decoder.lookahead.parameters():
        torch.nn.init.normal_(parameter)
    return model


def criterion(weight=0.3, smoothing=0.1):
    return LookaheadCriterion(DictionaryTask(), False, smoothing, weight)


@pytest.mark.parametrize("texts", [["abcdef", "é", "a longer sentence"], ["a"]])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_that_of_the_oracle(texts, smoothing):
    model, sample = model_of(), sample_of(texts)
    loss, size, log = criterion(smoothing=smoothing)(model, sample)
    plain, same_size, plain_log = LabelSmoothedCrossEntropyCriterion(
        DictionaryTask(), False, smoothing
    )(model, sample)
    states = model.decoder(
        sample["net_input"]["prev_output_tokens"],
        model.encoder(sample["net_input"]["src_tokens"]),
        features_only=True,
    )[0]
    proj = model.decoder.lookahead.proj
    ahead, counts = lookahead_loss(
        *(states, sample["target"], proj.weight, proj.bias, model.decoder.output_layer),
        *(PAD, smoothing),
    )
    # fairseq's probabilities are in float32.
    assert size == same_size
    assert (loss - plain - 0.3 * ahead).abs() <= 1e-4 * loss.abs()
    for name, value in plain_log.items():
        if name != "loss":
            assert log[name] == value
    for j, (right, count) in enumerate(counts, start=1):
        assert log[f"_lookahead_right_{j}"] == right
        assert log[f"_lookahead_of_{j}"] == count
    gradients = [
        torch.autograd.grad(total, [proj.weight, proj.bias], retain_graph=True)
        for total in (loss, 0.3 * ahead)
    ] if counts[0][1] else []  # fmt: skip
    for found, expected in zip(*gradients) if gradients else ():
        assert (found - expected).abs().max() <= 1e-4 * expected.abs().max()


def test_no_gradient_is_none_and_what_is_logged_adds_up():
    model = model_of()
    logs = []
    for texts in (["abc", "a longer sentence"], ["x"]):
        loss, _, log = criterion()(model, sample_of(texts))
        model.zero_grad()
        loss.backward()
        assert all(parameter.grad is not None for parameter in model.parameters())
        logs.append(log)
    with metrics.aggregate() as found:
        LookaheadCriterion.reduce_metrics(logs)
    values = found.get_smoothed_values()
    right, count = (
        sum(int(log[f"_lookahead_{what}_2"]) for log in logs) for what in ("right", "of")
    )
    assert values["lookahead_accuracy_2"] == round(100 * right / count, 2)
    assert count == 2 + 16  # of four and of eighteen symbols, two fewer
    assert values["lookahead_loss"] > 0


def test_heads_begin_as_the_state_itself():
    model = build_model(lookahead_heads=2)
    states = torch.randn(3, 5, 32)
    assert torch.equal(
        model.decoder.lookahead(states), states[:, :, None].expand(3, 5, 2, 32)
    )


def test_a_model_without_heads_is_refused():
    with pytest.raises(ValueError, match="is for models with heads that look ahead: add"):
        criterion()(build_model(), sample_of(["abc"]))
    with pytest.raises(ValueError, match="--lookahead-weight 0 must be above 0"):
        criterion(weight=0.0)
