"""Drafts, right or wrong, change no translation."""

from argparse import Namespace

import pytest
import torch

from fairseq_bytefusion.search.draft_generator import DraftGenerator, Utf8DraftGenerator
from fairseq_bytefusion.search.draft_length import AutoDraftLength, parse_draft_length
from fairseq_bytefusion.search.drafts import BothDraft, HeadsDraft, NgramDraft
from fairseq_bytefusion.search.drafts.ngram_table import NgramTable

from ..helpers import SENTENCES, build_model
from ..models.systems import SYSTEMS, WIDE
from .test_utf8_search import DICTIONARY, sample_of, task

SOURCES = [s for s in SENTENCES if s]
MODELS = {
    **SYSTEMS,
    "one-hot": {**WIDE, "encoder_embedder": "one-hot", "decoder_embedder": "one-hot"},
    "learned positions": {"decoder_learned_pos": True, "encoder_learned_pos": True},
    "no positions": {"no_token_positional_embeddings": True},
    "shared, pre-norm": {
        "share_decoder_input_output_embed": True,
        "decoder_normalize_before": True,
        "layernorm_embedding": True,
    },
}


class Foreseeing:
    """Drafts what will be written, each symbol with a probability, else some other."""

    def __init__(self, expected, probability):
        self.expected, self.probability = expected, probability

    def propose(self, states, tokens, lengths, k):
        assert (lengths == 1).all() or states.shape == (len(tokens), states.shape[1])
        found = torch.randint(1, 260, (len(tokens), k))
        for row, (text, length) in enumerate(zip(tokens.tolist(), lengths.tolist())):
            begun = text[1:length]
            for whole in self.expected:
                rest = whole[len(begun) : len(begun) + k]
                if whole[: len(begun)] == begun:
                    is_right = torch.rand(len(rest)) < self.probability
                    right = torch.tensor(rest, dtype=torch.long)
                    found[row, : len(rest)] = torch.where(
                        is_right, right, found[row, : len(rest)]
                    )
        return found


def double(sharpness=8.0, seed=1, **options):
    built = build_model(seed=seed, **options)
    with torch.no_grad():
        for parameter in built.decoder.output_projection.parameters():
            parameter.mul_(sharpness)
    return built.double()


def assert_same(
    models, probability=0.7, length="3", prefix=None, options=None, draft=None, **args
):
    """Greedy search with drafts writes what it writes without; returns its generator."""
    args = Namespace(**{"beam": 1, "max_len_a": 0, "max_len_b": 12, **args})
    sample, options = sample_of(SOURCES), options or {}
    plain = task(**options).build_generator(models, args)
    expected = plain.generate(models, sample, prefix_tokens=prefix)
    texts = [h["tokens"].tolist() for (h,) in expected]
    draft = draft or Foreseeing(texts, probability)
    extra = {"draft": draft, "draft_length": parse_draft_length(length)}
    of_utf8 = not options.get("allow_invalid_utf8")
    drafting = task(**options).build_generator(
        models, args, Utf8DraftGenerator if of_utf8 else DraftGenerator, extra
    )
    found = drafting.generate(models, sample, prefix_tokens=prefix)
    for (one,), (other,) in zip(found, expected):
        assert one["tokens"].tolist() == other["tokens"].tolist()
        for key in ("score", "positional_scores"):
            assert (one[key] - other[key]).abs().max() <= 1e-4
    assert drafting.symbols == sum(len(h["tokens"]) for (h,) in expected)
    assert drafting.calls <= drafting.row_calls <= drafting.symbols
    return drafting


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model(name):
    torch.manual_seed(2)
    assert_same([double(**MODELS[name])])


@pytest.mark.parametrize("length", ["1", "4", "30", "auto"])
@pytest.mark.parametrize("probability", [0.0, 0.5, 1.0])
def test_drafts_of_any_length_and_luck(length, probability):
    torch.manual_seed(3)
    models = [double(decoder_fusion="msc", encoder_fusion="msc")]
    found = assert_same(models, probability, length, max_len_b=40)
    if probability == 1 and length == "30":
        # Until a text differs from the others, the drafts are those of another.
        assert found.calls <= 8


WAYS = {
    "whatever bytes": {"options": {"allow_invalid_utf8": True}},
    "limit by length": {"max_len_a": 0.5, "max_len_b": 1},
    "whatever bytes, limit": {
        "options": {"allow_invalid_utf8": True},
        "max_len_a": 0.3,
        "max_len_b": 1,
    },
    "the shortest": {"max_len_b": 1},
    "minimum": {"min_len": 9},
    "penalties": {"unkpen": 3.0, "lenpen": 0.3},
    "not normalised": {"unnormalized": True},
    "temperature": {"temperature": 2.5},
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_options_of_the_search(way):
    torch.manual_seed(4)
    assert_same([double(sharpness=2.0)], **way)


def test_drafts_that_go_by_states():
    torch.manual_seed(8)
    built = double(lookahead_heads=3)
    for parameter in built.decoder.lookahead.parameters():
        torch.nn.init.normal_(parameter, std=0.05)
    symbols = DICTIONARY.encode_line("a text, for counts of text").numpy()
    counts = NgramDraft(NgramTable.count(4, symbols, DICTIONARY.eos()), "byte", 2)
    heads = HeadsDraft(built.decoder)
    for draft in (heads, BothDraft(heads, counts)):
        for length in ("2", "7", "auto"):
            assert_same([built], length=length, draft=draft, max_len_b=25)


def test_both_are_the_heads_and_then_the_counts():
    built = build_model(lookahead_heads=2)
    text = DICTIONARY.encode_line("abcabcabc").numpy()
    counts = NgramDraft(NgramTable.count(4, text, DICTIONARY.eos()), "byte", 2)
    heads = HeadsDraft(built.decoder)
    states, lengths = torch.randn(2, 32), torch.tensor([3, 1])
    tokens = torch.tensor([[2, 101, 102, 1], [2, 1, 1, 1]])
    first = heads.propose(states, tokens, lengths, 5)
    ahead = built.decoder.output_layer(built.decoder.lookahead(states))
    assert torch.equal(first, ahead.argmax(-1))  # as many as there are heads
    heads.propose = lambda *given: torch.tensor([[103, 101], [101, 102]])
    found = BothDraft(heads, counts).propose(states, tokens, lengths, 4)
    assert found.tolist() == [[103, 101, 102, 103], [101, 102, 103, 101]]
    assert BothDraft(heads, counts).propose(states, tokens, lengths, 2).shape == (2, 2)


def test_ensembles():
    torch.manual_seed(5)
    assert_same([double(seed=1), double(seed=2, **SYSTEMS["msc both"])])


@pytest.mark.parametrize("ends", [False, True])
def test_prefixes_of_any_length(ends):
    torch.manual_seed(6)
    prefix = torch.randint(36, 127, (len(SOURCES), 5))
    for row in range(len(SOURCES)):
        prefix[row, row % 6 :] = 1
    if ends:
        prefix[1, 1] = 2
    assert_same([double()], prefix=prefix, probability=0.0, length="6")


def test_what_is_forced_needs_no_call_of_its_own():
    torch.manual_seed(6)
    prefix = torch.randint(36, 127, (len(SOURCES), 5))
    found = assert_same([double()], prefix=prefix, probability=0.0, length="6")
    assert found.calls <= 13 - 5


def test_rows_that_end_early():
    torch.manual_seed(7)
    for sharpness in (1.0, 4.0, 30.0):
        assert_same([double(sharpness, seed=3)], 0.9, "5", max_len_b=60)


def test_a_model_that_writes_nan_is_refused():
    models = [build_model()]
    args = Namespace(beam=1, max_len_a=0, max_len_b=12)
    extra = {"draft": Foreseeing([], 0), "draft_length": parse_draft_length("2")}
    drafting = task().build_generator(models, args, Utf8DraftGenerator, extra)
    with torch.no_grad():
        models[0].decoder.output_projection.weight.fill_(float("nan"))
    with pytest.raises(RuntimeError, match="is NaN or infinite at symbol 1 of a translat"):
        drafting.generate(models, sample_of(SOURCES))


def test_the_length_follows_luck_and_cost():
    def after(agreed, per_call, per_symbol, rows=4):
        length = AutoDraftLength()
        for _ in range(40):
            k = length.next(rows)
            lucky = torch.full((rows,), min(agreed, k))
            seconds = per_call + per_symbol * rows * (k + 1)
            length.note(lucky, k, rows, seconds)
        return length.next(rows)

    assert after(100, 1.0, 0.001) == 16  # all agree, and symbols cost nothing
    assert after(0, 1.0, 0.1) == 0  # nothing ever agrees
    assert 1 <= after(1, 1.0, 0.05) <= 4
    assert after(2, 1.0, 0.5) < after(2, 1.0, 0.01)  # the more a symbol costs


@pytest.mark.parametrize("length", ["0", "-1", "2.5", "long", ""])
def test_lengths_that_are_none(length):
    with pytest.raises(ValueError, match="--draft-length .* must be a number of symbols"):
        parse_draft_length(length)
