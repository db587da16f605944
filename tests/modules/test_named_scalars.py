import pytest
import torch.nn as nn

from fairseq_bytefusion.modules.named_scalars import NamedScalar, collect_scalars

from ..helpers import build_model


class Gate(nn.Module):
    """A module that says what it holds, and not what a person calls it."""

    def __init__(self, value, name="gate"):
        super().__init__()
        self.found = {name: value}

    def named_scalars(self):
        return self.found


class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module


def test_the_weights_of_ncf():
    model = build_model(encoder_fusion="ncf", ncf_kernels="1,3")
    start = pytest.approx(0.5**0.5)
    assert collect_scalars(model) == [
        NamedScalar("ncf_lambda_1", start, "lambda of 1-grams"),
        NamedScalar("ncf_lambda_3", start, "lambda of 3-grams"),
    ]
    assert collect_scalars(build_model()) == []


def test_convex_weights_are_those_that_act():
    model = build_model(encoder_fusion="ncf", ncf_kernels="1,3", ncf_weights="softmax")
    model.encoder.fusion.weights.data[0] = 1.0
    values = [scalar.value for scalar in collect_scalars(model)]
    # exp(1.0) and exp(0.0) over their sum.
    assert values == pytest.approx([0.7310586, 0.2689414])


def test_one_name_in_several_modules_is_told_apart_by_their_paths():
    model = nn.ModuleDict(
        {"a": Gate(0.25), "b": nn.Sequential(Gate(0.5)), "c": Gate(1, "x")}
    )
    expected = [
        NamedScalar("a.gate", 0.25, "a: gate"),
        NamedScalar("b.0.gate", 0.5, "b.0: gate"),
        NamedScalar("x", 1.0, "x"),
    ]
    assert collect_scalars(model) == expected
    # DistributedDataParallel within fairseq's own wrapper.
    assert collect_scalars(Wrapper(Wrapper(model))) == expected


def test_a_shared_module_speaks_once():
    gate = Gate(0.5)
    assert collect_scalars(nn.ModuleList([gate, gate])) == [
        NamedScalar("gate", 0.5, "gate")
    ]
