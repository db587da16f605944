"""Whatever the weights, beam search and sampling write valid UTF-8."""

from argparse import Namespace

import pytest
import torch
from fairseq.sequence_generator import SequenceGenerator

from fairseq_bytefusion.search.utf8_generator import utf8_generator_class
from fairseq_bytefusion.tasks.byte_translation import (
    ByteTranslationConfig,
    ByteTranslationTask,
)
from fairseq_bytefusion.text import ByteDictionary

from ..helpers import SENTENCES, build_model, pad_batch
from ..oracles.utf8 import is_valid

DICTIONARY = ByteDictionary()
SOURCES = [s for s in SENTENCES if s]


def task(**options):
    return ByteTranslationTask(ByteTranslationConfig(**options), DICTIONARY, DICTIONARY)


def model(seed=1, sharpness=1.0):
    """Random weights; the sharper, the surer the model is of its nonsense."""
    built = build_model(seed=seed)
    with torch.no_grad():
        built.decoder.output_projection.weight.mul_(sharpness)
    return built


def sample_of(sentences, left=False):
    source = pad_batch(sentences, left=left)
    return {"net_input": {"src_tokens": source, "src_lengths": (source != 1).sum(1)}}


def generate(models, sentences, prefix=None, options=None, **args):
    generator = task(**(options or {})).build_generator(
        models, Namespace(**{"max_len_a": 0, "max_len_b": 12, **args})
    )
    sample = sample_of(sentences)
    return generator.generate(models, sample, prefix_tokens=prefix)


def assert_valid(beams, limit=12):
    for beam in beams:
        assert beam
        for hypothesis in beam:
            ids = hypothesis["tokens"]
            assert ids[-1] == DICTIONARY.eos()
            assert (ids[:-1] >= DICTIONARY.byte_offset).all()
            raw = DICTIONARY.decode_bytes(ids)
            assert is_valid(raw), raw
            assert b"\n" not in raw
            assert len(raw) <= limit
            assert hypothesis["score"].isfinite()


WAYS = {
    "beam": {"beam": 5},
    "greedy": {"beam": 1},
    "wide": {"beam": 40},
    "widest": {"beam": 259},
    "lenpen": {"beam": 3, "lenpen": 0.3, "unnormalized": True, "nbest": 3},
    "temperature": {"beam": 4, "temperature": 2.5},
    "sampling": {"beam": 4, "sampling": True},
    "top-k": {"beam": 4, "sampling": True, "sampling_topk": 3},
    "top-p": {"beam": 4, "sampling": True, "sampling_topp": 0.3},
    "diverse": {"beam": 6, "diverse_beam_groups": 3, "diverse_beam_strength": 0.5},
    "siblings": {"beam": 4, "diversity_rate": 0.5},
    "no repeats": {"beam": 4, "no_repeat_ngram_size": 2},
    "minimum": {"beam": 4, "min_len": 12},
    "alignment": {"beam": 3, "print_alignment": "hard"},
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("sharpness", [1.0, 20.0])
def test_random_weights_write_valid_utf8(way, sharpness):
    torch.manual_seed(3)
    models = [model(sharpness=sharpness)]
    models[0].make_generation_fast_(need_attn="print_alignment" in way)
    beams = generate(models, SOURCES, **way)
    assert_valid(beams)
    assert all(len(beam) <= way["beam"] for beam in beams)


@pytest.mark.parametrize("options", [{}, {"allow_invalid_utf8": True}])
@pytest.mark.parametrize("way", ["beam", "sampling", "diverse", "alignment"])
@pytest.mark.parametrize("sentence", [0, 1])
def test_nan_in_the_middle_of_a_translation(options, way, sentence):
    models = [model()]
    projection, calls = models[0].decoder.output_projection, []

    def spoil(module, args, logits):
        calls.append(len(logits))
        if len(calls) == 3:
            logits[sentence, 0, 100 + sentence] = (float("nan"), float("inf"))[sentence]
        return logits

    projection.register_forward_hook(spoil)
    with pytest.raises(RuntimeError, match="is NaN or infinite at symbol 3 of a transla"):
        generate(models, SOURCES, options=options, **WAYS[way])


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16])
@pytest.mark.parametrize("way", ["beam", "sampling", "diverse"])
def test_16_bits_write_valid_utf8_or_are_refused_by_name(dtype, way):
    models = [model(sharpness=8.0).to(dtype)]
    t = task(source_lang="xx", target_lang="en")
    generator = t.build_generator(models, Namespace(max_len_a=0, max_len_b=12, **WAYS[way]))
    flag = {torch.half: "--fp16", torch.bfloat16: "--bf16"}[dtype]
    try:
        assert_valid(t.inference_step(generator, models, sample_of(SOURCES)))
    except ValueError as error:
        assert f"drop {flag}" in str(error)


@pytest.mark.parametrize("options", [{}, {"allow_invalid_utf8": True}])
def test_diverse_groups_do_not_depend_on_numbers_of_sentences(options):
    models, found = [model(sharpness=8.0)], []
    args = Namespace(max_len_a=0, max_len_b=12, **WAYS["diverse"])
    generator = task(**options).build_generator(models, args)
    for first in (0, 1000):
        sample = {**sample_of(SOURCES), "id": torch.arange(len(SOURCES)) + first}
        beams = generator.generate(models, sample)
        found.append([[h["tokens"].tolist() for h in beam] for beam in beams])
    assert found[0] == found[1]


@pytest.mark.parametrize("way", [WAYS["beam"], WAYS["sampling"]], ids=["beam", "sampling"])
def test_a_thousand_sentences(way):
    torch.manual_seed(5)
    models = [model(sharpness=8.0)]
    sentences = [chr(97 + i % 26) * (1 + i % 7) for i in range(1000)]
    for start in range(0, 1000, 250):
        beams = generate(models, sentences[start : start + 250], max_len_b=9, **way)
        assert len(beams) == 250
        assert_valid(beams, limit=9)


@pytest.mark.parametrize("limit", range(1, 6))
def test_the_last_character_is_whole_at_any_limit(limit):
    for seed in range(3):
        beams = generate([model(seed, 20.0)], SOURCES, max_len_b=limit, beam=4)
        assert_valid(beams, limit)


def test_an_ensemble_writes_valid_utf8():
    assert_valid(generate([model(1, 8.0), model(2, 8.0)], SOURCES, beam=4))


def test_without_the_constraint_invalid_text_comes_out():
    beams = generate([model(sharpness=8.0)], SOURCES, options={"allow_invalid_utf8": True})
    raws = [DICTIONARY.decode_bytes(h["tokens"]) for beam in beams for h in beam]
    assert not all(is_valid(raw) for raw in raws)


def test_the_limit_is_that_of_the_own_source():
    """Alone or among longer sources, a sentence gets the same translations."""
    models = [model(sharpness=4.0)]
    args = {"beam": 3, "max_len_a": 1.5, "max_len_b": 2, "min_len": 3}
    together = generate(models, SOURCES, **args)
    for sentence, beam in zip(SOURCES, together):
        alone = generate(models, [sentence], **args)[0]
        assert [h["tokens"].tolist() for h in beam] == [h["tokens"].tolist() for h in alone]
        limit = max(3, int(1.5 * (len(sentence.encode()) + 1) + 2))
        assert max(len(h["tokens"]) for h in beam) <= limit + 1


def test_where_the_constraint_does_not_bind_the_beams_are_fairseqs():
    """A model that knows ASCII letters only."""
    letters = model(sharpness=4.0)
    projection = letters.decoder.output_projection
    bias = torch.full((len(DICTIONARY),), -1e4)
    bias[[DICTIONARY.eos(), *range(4 + 97, 4 + 123)]] = 0.0
    projection.bias = torch.nn.Parameter(bias)
    sample = sample_of(["abcde", "vwxyz"])
    found = []
    for options in ({}, {"allow_invalid_utf8": True}):
        args = Namespace(beam=5, max_len_a=0, max_len_b=15)
        cls = SequenceGenerator if options else None
        generator = task(**options).build_generator([letters], args, cls)
        found.append(generator.generate([letters], sample))
    for ours, theirs in zip(*found):
        for a, b in zip(ours, theirs):
            assert a["tokens"].tolist() == b["tokens"].tolist()
            assert a["score"] == b["score"]


# --- prefixes ------------------------------------------------------------------


def prefix_of(raws):
    rows = [DICTIONARY.encode_line(raw, append_eos=False).long() for raw in raws]
    out = torch.full((len(rows), max(map(len, rows))), DICTIONARY.pad())
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out


PREFIXES = {  # the prefix, and how many of its bytes belong to what must be valid
    "plain": (b"ab", 2),
    "cut inside a character": ("x世".encode()[:-1], 3),
    "only continuation bytes": (b"\x80\xbf", 0),
    "overlong": (b"\xc0\xaf", 0),
    "broken, then cut inside a character": (b"\xe0\x80\xf0\x9f", 2),
    "a newline": (b"a\nb", 3),
    "longer than the limit": (b"abcdefghijklmnop", 16),
}


@pytest.mark.parametrize("sampling", [False, True])
@pytest.mark.parametrize(("raw", "good"), PREFIXES.values(), ids=PREFIXES)
def test_a_forced_prefix_is_kept_and_goes_on_in_whole_characters(raw, good, sampling):
    prefix = prefix_of([raw, b"q"])
    beams = generate(
        [model(sharpness=8.0)], ["abc", "def"], prefix, beam=4, sampling=sampling
    )
    for hypothesis in beams[0]:
        found = DICTIONARY.decode_bytes(hypothesis["tokens"])
        assert found.startswith(raw[:12])
        assert is_valid(found[len(raw) - good :])
    assert_valid(beams[1:])


def test_a_prefix_that_is_cut_at_the_limit_ends_there():
    raw = b"abcdefghijk\xf0"
    beams = generate([model(sharpness=8.0)], ["abc"], prefix_of([raw]), beam=4)
    assert {DICTIONARY.decode_bytes(h["tokens"]) for h in beams[0]} == {raw}


def test_prefixes_of_different_lengths_with_an_end():
    prefix = prefix_of([b"ab", b"q", b"xyz"])
    prefix[1, 1] = DICTIONARY.eos()
    beams = generate([model(sharpness=8.0)], ["abc", "def", "ghi"], prefix, beam=3)
    assert_valid(beams)
    assert DICTIONARY.decode_bytes(beams[1][0]["tokens"]) == b"q"


# --- options -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "flag"),
    [
        ({"match_source_len": True}, "--match-source-len"),
        ({"constraints": "ordered"}, "--constraints"),
    ],
)
def test_what_cannot_be_kept_valid_is_refused_by_name(args, flag):
    with pytest.raises(ValueError, match=rf"^{flag} .*--allow-invalid-utf8"):
        utf8_generator_class(Namespace(**args))
    generate([model()], ["abc"], options={"allow_invalid_utf8": True}, beam=2)


def test_scoring_references_is_no_search():
    generator = task().build_generator([model()], Namespace(score_reference=True))
    assert type(generator).__name__ == "SequenceScorer"
