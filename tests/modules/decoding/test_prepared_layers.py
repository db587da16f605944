"""Layers prepared for a search: when they are made anew, and what else may stand there."""

import copy

import pytest
import torch
import torch.nn as nn

from fairseq_bytefusion.models import search_steps

from ...helpers import build_model
from ...models.systems import SYSTEMS
from .search import Search


class Wrapped(nn.Module):
    """A layer within another module, as FSDP has it."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, *args, **kwargs):
        return self.layer(*args, **kwargs)


def prepared(model):
    search = Search(model, beam=2)
    search.step()
    return search.cache.prepared


def final(**options):
    built = build_model(**options)
    built.make_generation_fast_()
    return built


@torch.no_grad()
@pytest.mark.parametrize("name", ["dense", "msc"])
def test_wrapped_layers_are_called_as_they_are(name):
    options = {"dense": {}, "msc": {"decoder_fusion": "msc"}}[name]
    built = build_model(decoder_normalize_before=True, **options)
    built.decoder.layers = nn.ModuleList(map(Wrapped, built.decoder.layers))
    search = Search(built, beam=3)
    for _ in range(12):
        search.step()
        search.reorder(search.beam_order())


@torch.no_grad()
def test_a_final_model_keeps_them_until_its_weights_are_others():
    built = final()
    first = prepared(built)
    assert prepared(built) is first
    built.decoder.layers[0].fc1.weight.mul_(2.0)
    second = prepared(built)  # Search.step compares with a decoder without a cache
    assert second is not first
    built.double()
    assert prepared(built) is not second


@torch.no_grad()
def test_one_that_is_trained_prepares_every_search():
    built = build_model()
    first = prepared(built)
    # As a trainer for 16 bits writes weights: unseen by their version.
    built.decoder.layers[0].fc1.weight.data.mul_(2.0)
    assert prepared(built) is not first


@torch.no_grad()
def test_a_copy_does_not_share_them():
    built = final()
    first = prepared(built)
    other = copy.deepcopy(built)
    other.decoder.layers[0].fc1.weight.mul_(2.0)
    assert prepared(other) is not first
    assert prepared(built) is first


@torch.no_grad()
def test_a_large_vocabulary_has_no_table(monkeypatch):
    monkeypatch.setattr(search_steps, "MOST_ROWS", 100)
    for options in ({}, SYSTEMS["char-cnn"]):
        built = build_model(**options)
        search = Search(built, beam=2)
        search.step()
        assert search.cache.rows is None
