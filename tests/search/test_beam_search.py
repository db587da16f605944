"""Our beam search gives what fairseq's gives, symbol by symbol, ties included."""

from argparse import Namespace

import pytest
import torch
from fairseq.sequence_generator import SequenceGenerator

from fairseq_bytefusion.search.beam_generator import BeamGenerator
from fairseq_bytefusion.search.beam_search import BeamSearch
from fairseq_bytefusion.search.utf8_generator import (
    Utf8SequenceGenerator,
    _Utf8Generation,
)

from ..helpers import build_model
from .test_draft_search import MODELS, SOURCES
from .test_utf8_search import sample_of, task


class FairseqsUtf8(_Utf8Generation, SequenceGenerator):
    """fairseq's loop, for valid UTF-8."""


def double(sharpness=4.0, seed=1, ties=False, **options):
    """A model in float64; with ``ties``, most log-probabilities are those of others too."""
    built = build_model(seed=seed, **options).double()
    for parameter in built.decoder.output_projection.parameters():
        parameter.data.mul_(sharpness)
    if ties:
        built.decoder.output_projection.register_forward_hook(
            lambda module, args, logits: logits.round()
        )
    return built


def assert_same(models, options=None, sources=SOURCES, bos_token=None, **args):
    """Both searches find the same; returns what they found."""
    args = Namespace(**{"beam": 5, "max_len_a": 0, "max_len_b": 20, **args})
    built = task(**(options or {}))
    ours = built.build_generator(models, args)
    of_utf8 = not (options or {}).get("allow_invalid_utf8")
    assert type(ours) is (Utf8SequenceGenerator if of_utf8 else BeamGenerator)
    cls = FairseqsUtf8 if of_utf8 else SequenceGenerator
    found = []
    for generator in (ours, built.build_generator(models, args, cls)):
        sample = sample_of(sources)
        found.append(generator.generate(models, sample, bos_token=bos_token))
    for one, other in zip(*found):
        assert len(one) == len(other) >= 1
        for a, b in zip(one, other):
            assert a["tokens"].tolist() == b["tokens"].tolist()
            assert a["score"].dtype == b["score"].dtype == torch.float32
            for key in ("score", "positional_scores"):
                assert (a[key] - b[key]).abs().max() <= 2e-6
            assert a["attention"].numel() == a["alignment"].numel() == 0
    return found[0]


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model(name):
    assert_same([double(**MODELS[name])])


WAYS = {
    "one": {"beam": 1},
    "two": {"beam": 2},
    "widest": {"beam": 259, "max_len_b": 4},
    "wider than what begins a text": {"beam": 200, "max_len_b": 3},
    "minimum": {"min_len": 9},
    "limit by length": {"max_len_a": 0.7, "max_len_b": 2},
    "nothing but </s>": {"max_len_b": 0, "min_len": 0},
    "long": {"max_len_b": 90, "beam": 3},
    "length penalty": {"lenpen": 0.3},
    "not normalised": {"unnormalized": True},
    "temperature": {"temperature": 2.5},
    "begins otherwise": {"bos_token": 101},
}
BYTES = {
    **WAYS,
    "penalty": {"unkpen": -6.0},
    "shortest": {"max_len_b": 1},
}


@pytest.mark.parametrize("ties", [False, True], ids=["no ties", "ties"])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_options_of_the_search(way, ties):
    assert_same([double(2.0, ties=ties)], **way)


@pytest.mark.parametrize("ties", [False, True], ids=["no ties", "ties"])
@pytest.mark.parametrize("way", BYTES.values(), ids=BYTES)
def test_of_whatever_bytes(way, ties):
    assert_same([double(2.0, ties=ties)], {"allow_invalid_utf8": True}, **way)


@pytest.mark.parametrize("ends", [2.0, 4.0, 8.0])
@pytest.mark.parametrize("seed", range(6))
def test_sentences_that_end_one_after_the_other(seed, ends):
    """With a likelier ``</s>``, on many sentences, of every order of ending."""
    built = double(2.0, seed, ties=seed % 2 == 0)
    torch.manual_seed(seed)
    weight = built.decoder.output_projection.weight
    weight.data[2] += ends * torch.randn(weight.shape[1])
    sources = [chr(97 + i) * (1 + i * 5 % 13) for i in range(23)]
    found = assert_same([built], sources=sources, max_len_b=25)
    lengths = {len(hypothesis["tokens"]) for beam in found for hypothesis in beam}
    assert len(lengths) > 1


def test_ensembles():
    assert_same([double(2.0, seed) for seed in (1, 2, 3)])


def test_ties_are_there():
    found = assert_same([double(2.0, ties=True)], beam=100, max_len_b=3)
    for beam in found:
        first = {int(h["tokens"][0]): float(h["positional_scores"][0]) for h in beam}
        assert len(set(first.values())) < len(first)


def test_a_model_that_is_final_gives_the_same():
    built = double(2.0)
    expected = assert_same([built])
    built.make_generation_fast_()
    for found, beam in zip(assert_same([built]), expected):
        for one, other in zip(found, beam):
            assert one["tokens"].tolist() == other["tokens"].tolist()
            assert not one["tokens"].is_inference()
            assert one["score"].equal(other["score"])


def test_what_it_cannot_do_is_left_to_fairseq(monkeypatch):
    calls = []
    run = BeamSearch.run
    monkeypatch.setattr(BeamSearch, "run", lambda self: calls.append(1) or run(self))
    models, sample = [double()], sample_of(SOURCES)

    def count(prefix=None, **args):
        calls.clear()
        args = Namespace(**{"beam": 3, "max_len_a": 0, "max_len_b": 6, **args})
        generator = task().build_generator(models, args)
        generator.generate(models, sample, prefix_tokens=prefix)
        return len(calls)

    assert count() == 1
    assert count(prefix=torch.full((len(SOURCES), 1), 101)) == 0
    for way in (
        {"sampling": True},
        {"diverse_beam_groups": 3},
        {"no_repeat_ngram_size": 2},
    ):
        assert count(**way) == 0, way
    models[0].make_generation_fast_(need_attn=True)
    assert count() == count(print_alignment="hard") == 0


def test_a_model_that_cannot_end():
    built = double(ties=False)

    def never(module, args, logits):
        logits[..., 2] = float("-inf")
        return logits

    built.decoder.output_projection.register_forward_hook(never)
    with pytest.raises(RuntimeError, match="no symbol may follow, not even </s>"):
        assert_same([built])
