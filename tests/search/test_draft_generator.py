"""Which options drafts go with, and fairseq's commands that take them."""

import re
from argparse import Namespace

import numpy as np
import pytest

from fairseq_bytefusion.search.draft_generator import DraftGenerator, Utf8DraftGenerator
from fairseq_bytefusion.search.drafts import NgramDraft
from fairseq_bytefusion.search.drafts.ngram_table import NgramTable
from fairseq_bytefusion.tasks.byte_translation import (
    ByteTranslationConfig,
    ByteTranslationTask,
)

from ..helpers import bytefusion, fairseq, train
from .test_utf8_search import DICTIONARY, model, task

EOS = DICTIONARY.eos()


@pytest.fixture
def path(tmp_path):
    text = DICTIONARY.encode_line("abcabc").numpy()
    found = tmp_path / "draft.npz"
    NgramDraft(NgramTable.count(3, text, EOS), "byte", EOS).save(str(found))
    return str(found)


def test_the_generator_is_of_the_dictionary_and_the_flags(path):
    flags = {"draft": "ngram", "draft_file": path}
    args = Namespace(beam=1)
    assert type(task(**flags).build_generator([model()], args)) is Utf8DraftGenerator
    any_bytes = task(**flags, allow_invalid_utf8=True)
    assert type(any_bytes.build_generator([model()], args)) is DraftGenerator


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({}, "--draft is for greedy search, and the beam is 5: add --beam 1"),
        ({"beam": 2}, "the beam is 2: add --beam 1"),
        ({"beam": 1, "sampling": True}, "--sampling samples, which greedy search does not"),
        ({"beam": 1, "no_repeat_ngram_size": 3}, "--no-repeat-ngram-size forbids what was"),
        (
            {"beam": 1, "print_alignment": "hard"},
            "--print-alignment shows attention",
        ),
        (
            {"beam": 1, "match_source_len": True},
            "--match-source-len asks for the length",
        ),
        (
            {"beam": 1, "diverse_beam_groups": 2},
            "--diverse-beam-groups fills a beam",
        ),
        (
            {"beam": 1, "lm_path": "lm.pt"},
            "--lm-path adds a language model",
        ),
    ],
)
def test_searches_that_are_not_greedy_are_refused(path, args, message):
    with pytest.raises(ValueError, match=message):
        task(draft="ngram", draft_file=path).build_generator([model()], Namespace(**args))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"draft_file": "d.npz"},
            "--draft-file is read for --draft ngram or both: add",
        ),
        ({"draft_length": "5"}, "--draft-length does nothing without --draft: add that fl"),
    ],
)
def test_flags_that_would_do_nothing_are_refused(tmp_path, options, message):
    cfg = ByteTranslationConfig(
        data=str(tmp_path), source_lang="xx", target_lang="en", **options
    )
    with pytest.raises(ValueError, match=message):
        ByteTranslationTask.setup_task(cfg)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {},
            "--draft ngram needs counts of training text: make them with bytefusion",
        ),
        ({"draft_file": "none.npz"}, "none.npz"),
    ],
)
def test_a_draft_needs_its_file(options, message):
    with pytest.raises((ValueError, OSError), match=message):
        task(draft="ngram", **options).build_generator([model()], Namespace(beam=1))


@pytest.mark.long
def test_commands_write_the_same_with_drafts(toy_data, tmp_path):
    langs = ("-s", "xx", "-t", "en")
    train(toy_data, tmp_path, *langs, "--max-update", "40", "--no-epoch-checkpoints")
    draft = tmp_path / "draft.npz"
    bytefusion("draft", toy_data, *langs, "--output", draft)
    flags = (toy_data, *langs, "--path", tmp_path / "checkpoint_last.pt", "--beam", "1")
    flags = (*flags, "--task", "byte_translation", "--max-len-b", "30")
    drafting = ("--draft", "ngram", "--draft-file", draft)
    found = []
    for more in ((), drafting, (*drafting, "--draft-length", "3")):
        log = fairseq("generate", *flags, *more, "--scoring", "sacrebleu").stdout.decode()
        found.append(re.findall(r"^[HD]-\d+\t\S+\t(.*)$", log, re.M))
        scores = re.findall(r"^H-\d+\t(\S+)\t", log, re.M)
        found[-1].append(np.round(np.array(scores, float), 3).tolist())
    assert len(found[0]) == 2 * 8 + 1
    assert found[0] == found[1] == found[2]
    lines = b"abc def\n\nxyz\n"
    spoken = [
        re.findall(r"^D-.*\t(.*)$", fairseq(
            "interactive", *flags, *more, "--buffer-size", "3", stdin=lines
        ).stdout.decode(), re.M)
        for more in ((), drafting)
    ]  # fmt: skip
    assert len(spoken[0]) == 3
    assert spoken[0] == spoken[1]
    # A reference is scored as ever, whatever the drafts.
    scored = [
        re.findall(r"^H-.*$", fairseq(
            "generate", *flags, *more, "--score-reference"
        ).stdout.decode(), re.M)
        for more in ((), drafting)
    ]  # fmt: skip
    assert len(scored[0]) == 8
    assert scored[0] == scored[1]
