"""BLEU and chrF2 of a validation: the scores of SacreBLEU over all its texts."""

import logging

import pytest
import sacrebleu
import torch
from fairseq.logging import metrics

from ...helpers import write_pair
from ..running import batches, make_task

SIZES = {"de": 7, "fr": 4}
TEXT = "the cat sat on a warm red mat under an old apple tree today"


def reference(lang, i):
    words, step = TEXT.split(), {"de": 2, "fr": 3}[lang]
    return " ".join(words[(i + k * step) % len(words)] for k in range(3 + i % 4)) + "!"


def translation(text):
    """What the model of these tests writes: words swapped, letters wrong, some nothing."""
    words = text[:-1].split()
    return {0: text, 1: " ".join(words[::-1]), 2: ""}.get(len(text) % 4, f"{text[:-4]}ж é.")


@pytest.fixture()
def data(tmp_path):
    for lang, size in SIZES.items():
        targets = [reference(lang, i) for i in range(size)]
        for split in ("train", "valid"):
            write_pair(tmp_path, split, [f"{lang} {i}" for i in range(size)], targets, lang)
    return tmp_path


class Criterion:
    """One a sentence."""

    def __call__(self, model, sample):
        size = len(sample["target"])
        log = {"loss": size, "sample_size": size, "ntokens": size, "nsentences": size}
        return torch.tensor(1.0), size, log

    @staticmethod
    def reduce_metrics(logging_outputs):
        pass


def build_task(data, monkeypatch, write=translation, **options):
    options = {"source_lang": "de,fr", "eval_bleu": True, **options}
    task = make_task(data, **options)
    task.tokenizer = task.sequence_generator = None
    dictionary = task.target_dictionary

    def inference_step(generator, models, sample, prefix_tokens=None):
        rows = [row[row != dictionary.pad()] for row in sample["target"]]
        texts = [write(dictionary.string(row)) for row in rows]
        return [[{"tokens": dictionary.encode_line(text)}] for text in texts]

    monkeypatch.setattr(task, "inference_step", inference_step)
    task.load_dataset("valid")
    return task


def validate(task, num_workers, max_sentences=2):
    """What is logged; step by step, every worker has the next batch."""
    model = torch.nn.Linear(1, 1)
    every = batches(task, "valid", max_sentences=max_sentences)
    with metrics.aggregate(new_root=True) as aggregated:
        for start in range(0, len(every), num_workers):
            parts = every[start : start + num_workers]
            logs = [task.valid_step(batch, model, Criterion())[2] for batch in parts]
            task.reduce_metrics(logs, Criterion())
    return aggregated.get_smoothed_values()


def texts(task, pair):
    dataset, dictionary = task.dataset("valid"), task.target_dictionary
    items = [dataset[i] for i in range(len(dataset))]
    langs = [lang for lang, size in SIZES.items() for _ in range(size)]
    chosen = [
        dictionary.string(item["target"])
        for item, lang in zip(items, langs)
        if pair in (None, f"{lang}-en")
    ]
    return [translation(text) for text in chosen], [chosen]


def test_scores_are_those_of_sacrebleu_for_any_workers(data, monkeypatch):
    task = build_task(data, monkeypatch)
    one = validate(task, 1)
    for pair, suffix in ((None, ""), ("de-en", "_de-en"), ("fr-en", "_fr-en")):
        hypotheses, references = texts(task, pair)
        bleu = sacrebleu.corpus_bleu(hypotheses, references).score
        chrf = sacrebleu.corpus_chrf(hypotheses, references).score
        assert 0 < bleu < 99 and 0 < chrf < 99
        assert one[f"bleu{suffix}"] == round(bleu, 2)
        assert one[f"chrf{suffix}"] == round(chrf, 2)
    assert not [name for name in one if name.startswith("_")]
    for num_workers, max_sentences in ((2, 2), (3, 1), (2, 5), (1, 99)):
        found = validate(task, num_workers, max_sentences)
        for name in (key for key in one if key.startswith(("bleu", "chrf"))):
            assert found[name] == one[name], (name, num_workers, max_sentences)


def test_one_pair_has_no_scores_of_pairs(data, monkeypatch):
    found = validate(build_task(data, monkeypatch, source_lang="de"), 2)
    names = [name for name in found if name.startswith(("bleu", "chrf"))]
    assert sorted(names) == ["bleu", "chrf"]


def test_scores_of_nothing_are_zero_and_not_missing(data, monkeypatch):
    found = validate(build_task(data, monkeypatch, write=lambda text: ""), 1)
    for name in ("bleu", "chrf", "bleu_de-en", "chrf_fr-en"):
        assert found[name] == 0


def test_without_eval_bleu_nothing_is_translated(data, monkeypatch):
    found = validate(build_task(data, monkeypatch, eval_bleu=False), 1)
    assert not [name for name in found if name.startswith(("bleu", "chrf"))]


def test_tokenised_bleu_and_samples(data, monkeypatch, caplog):
    caplog.set_level(logging.INFO)
    options = {"eval_tokenized_bleu": True, "eval_bleu_print_samples": True}
    task = build_task(data, monkeypatch, **options)
    found = validate(task, 1)
    expected = sacrebleu.corpus_bleu(*texts(task, None), tokenize="none").score
    assert found["bleu"] == round(expected, 2)
    assert "example hypothesis: " in caplog.text
    assert "example reference: " in caplog.text
