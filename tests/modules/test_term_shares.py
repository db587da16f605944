import math

import pytest
import torch
import torch.nn as nn

from fairseq_bytefusion.modules.term_shares import add_term, measured_terms, term_shares


class Sum(nn.Module):
    """Adds up its input and twice its input."""

    term_sums = None

    def forward(self, x):
        if self.term_sums is not None:
            add_term(self.term_sums, "once", x)
            add_term(self.term_sums, "twice", 2 * x)
        return x + 2 * x


class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module


def test_sums_by_hand():
    sums = {}
    add_term(sums, "a", torch.tensor([1.0, 2.0]))
    add_term(sums, "a", torch.tensor([[3.0]], dtype=torch.half))
    add_term(sums, "b", torch.tensor([4.0, 4.0]))
    assert sums == {"a": [3, 6, 14], "b": [2, 8, 32]}
    assert term_shares(sums) == {"a": 1, "b": 0}


def test_shares_are_of_standard_deviations():
    sums = {}
    for name, scale in (("a", 1), ("b", 3)):
        add_term(sums, name, scale * torch.tensor([-1.0, 1.0]))
    assert term_shares(sums) == {"a": 0.25, "b": 0.75}


@pytest.mark.parametrize("sums", [[0, 0, 0], [3, 0.3, 0.03 - 1e-9]], ids=["none", "same"])
def test_what_does_not_vary_has_no_share(sums):
    assert term_shares({"a": sums, "b": sums}) == {"a": 0, "b": 0}


def test_nan_stays_nan():
    shares = term_shares({"a": [2, math.nan, math.nan], "b": [2, 0, 2]})
    assert all(math.isnan(share) for share in shares.values())


def test_modules_are_measured_for_a_while():
    model = nn.ModuleDict({"a": Sum(), "b": nn.Sequential(Sum()), "c": nn.Linear(1, 1)})
    x = torch.tensor([1.0, 3.0])
    with measured_terms(Wrapper(Wrapper(model))) as found:
        model["b"](x)
    assert found == {"a": {}, "b.0": {"once": [2, 4, 10], "twice": [2, 8, 40]}}
    model["a"](x)
    assert found["a"] == {}


def test_what_fails_is_measured_no_longer():
    module = Sum()
    with pytest.raises(AttributeError), measured_terms(module):
        module(None)
    assert module.term_sums is None
