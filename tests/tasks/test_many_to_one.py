"""Several sources in one task: workers, resuming, validation, tags, bad input."""

import numpy as np
import pytest
import torch
from fairseq.criterions.label_smoothed_cross_entropy import (
    LabelSmoothedCrossEntropyCriterion,
)
from fairseq.logging import metrics
from sacrebleu.metrics import BLEU

from fairseq_bytefusion.models.byte_transformer import ByteTransformerModel

from ..helpers import model_args, write_pair
from .running import make_task
from .test_byte_translation import SilentCriterion

SIZES = {"de": 40, "fr": 12}


@pytest.fixture()
def data(tmp_path):
    for lang, size in SIZES.items():
        for split, count in (("train", size), ("valid", size // 4)):
            lines = [f"{lang} {i} {'wort ' * (i % 4)}ende" for i in range(count)]
            write_pair(tmp_path, split, lines, [t[3:] for t in lines], src=lang)
    return tmp_path


def several(data, **options):
    options = {"source_lang": "de,fr", "sampling_temperature": 5, **options}
    return make_task(data, **options)


def iterator(task, epoch=1, **kwargs):
    return task.get_batch_iterator(
        task.dataset("train"),
        max_tokens=120,
        max_positions=(2048, 2048),
        ignore_invalid_inputs=True,
        epoch=epoch,
        **kwargs,
    )


def ids(batches):
    return [batch["id"].tolist() if batch else [] for batch in batches]


def test_two_workers_see_what_one_sees(data):
    task = several(data)
    task.load_dataset("train")
    for epoch in (1, 2):
        one = ids(iterator(task, epoch).next_epoch_itr())
        parts = [
            ids(iterator(task, epoch, num_shards=2, shard_id=k).next_epoch_itr())
            for k in range(2)
        ]
        # An odd last batch is matched by an empty one of the other worker.
        together = [b for pair in zip(*parts) for b in pair]
        assert together[: len(one)] == one
        assert len(one) > 4


def test_epochs_differ_and_resuming_goes_on_where_it_stopped(data):
    def fresh(epoch):
        task = several(data)
        task.load_dataset("train", epoch=epoch)
        return iterator(task, epoch)

    whole = fresh(2)
    batches = whole.next_epoch_itr()
    expected = ids(batches)
    first = fresh(2)
    batches = first.next_epoch_itr()
    seen = ids(next(batches) for _ in range(3))
    state = first.state_dict()
    resumed = fresh(2)
    resumed.load_state_dict(state)
    assert seen + ids(resumed.next_epoch_itr()) == expected
    assert sorted(sum(expected, [])) != sorted(sum(ids(fresh(3).next_epoch_itr()), []))


# --- validation ---------------------------------------------------------------------


def build_model(task):
    torch.manual_seed(1)
    args = model_args()
    args.arch = args._name = "byte_transformer_tiny"
    args.quant_noise_scalar = 0
    return task.build_model(args).eval()


def validate(task, model):
    """What fairseq-train would log of a validation of ``task``, and its batches."""
    criterion = LabelSmoothedCrossEntropyCriterion(task, True, 0.1)
    task.load_dataset("valid")
    batches = task.get_batch_iterator(task.dataset("valid"), max_tokens=150)
    with metrics.aggregate(new_root=True) as aggregated, torch.no_grad():
        for batch in batches.next_epoch_itr(shuffle=False):
            *_, log = task.valid_step(batch, model, criterion)
            task.reduce_metrics([log], criterion)
    return aggregated.get_smoothed_values()


def test_validation_logs_each_pair_and_all_together(data):
    options = {"eval_bleu": True, "eval_bleu_args": '{"beam": 1, "max_len_b": 9}'}
    task = several(data, **options)
    model = build_model(task)
    logged = validate(task, model)
    alone = {lang: validate(make_task_of(data, lang, options), model) for lang in SIZES}
    for lang, log in alone.items():
        assert logged[f"loss_{lang}-en"] == pytest.approx(log["loss"], abs=2e-3)
        for score in ("bleu", "chrf"):
            assert logged[f"{score}_{lang}-en"] == pytest.approx(log[score], abs=0.01)
        assert not [key for key in log if key.startswith(("loss_", "bleu_", "chrf_"))]
    assert min(log["loss"] for log in alone.values()) < logged["loss"]
    assert logged["loss"] < max(log["loss"] for log in alone.values())


def make_task_of(data, lang, options):
    task = make_task(data, source_lang=lang, **options)
    build_model(task)
    return task


def test_overall_bleu_is_that_of_all_sentences(data):
    task = several(data, eval_bleu=True)
    logs = []
    for pair, correct in (("de-en", 3), ("fr-en", 1)):
        log = {f"_bleu_counts_{i}": correct - i if correct > i else 0 for i in range(4)}
        log.update({f"_bleu_totals_{i}": 4 - i for i in range(4)})
        log.update(_bleu_sys_len=4, _bleu_ref_len=4, loss=8.0, sample_size=4)
        for name in task.language_pairs:
            log.update(
                {f"_{name}:{k}": v * (name == pair) for k, v in list(log.items())
                 if ":" not in k}
            )  # fmt: skip
        logs.append({**log, "ntokens": 4, "nsentences": 1})
    results = []
    for outputs in ([[logs[0]], [logs[1]]], [logs]):  # in turn, and from two workers
        with metrics.aggregate(new_root=True) as aggregated:
            for output in outputs:
                task.reduce_metrics(output, SilentCriterion())
        values = aggregated.get_smoothed_values().items()
        results.append({k: v for k, v in values if k.startswith(("bleu", "loss"))})
    assert results[0] == results[1]
    overall = BLEU.compute_bleu([4, 2, 1, 0], [8, 6, 4, 2], 8, 8, smooth_method="exp")
    assert results[0]["bleu"] == round(overall.score, 2)
    assert results[0]["bleu_de-en"] > results[0]["bleu"] > results[0]["bleu_fr-en"] > 0
    assert results[0]["loss_de-en"] == pytest.approx(2 / np.log(2), abs=1e-3)


def test_every_worker_logs_the_same_keys(data):
    task = several(data)
    model = build_model(task)
    criterion = LabelSmoothedCrossEntropyCriterion(task, True, 0.1)
    for split in ("train", "valid"):
        task.load_dataset(split)
    kinds = set()
    for split in ("train", "valid"):  # fairseq pads an epoch with a training batch
        dataset = task.dataset(split)
        for i in (0, len(dataset) - 1):
            *_, log = task.valid_step(dataset.collater([dataset[i]]), model, criterion)
            kinds.add(tuple((key, torch.is_tensor(log[key])) for key in sorted(log)))
    assert len(kinds) == 1


# --- tags ------------------------------------------------------------------------------


def tagged_state(data):
    return several(data, source_tag=True).state_dict()


@pytest.mark.parametrize("given", [False, True])
def test_one_language_is_tagged_as_in_training(data, given):
    training = several(data, source_tag=True)
    training.load_dataset("valid")
    task = make_task(data, source_lang="fr", source_tag=given)
    task.load_state_dict(training.state_dict())
    task.load_dataset("valid")
    for i in range(len(task.dataset("valid"))):
        ours, theirs = task.dataset("valid")[i], training.dataset("valid")[10 + i]
        assert ours["source"].tolist() == theirs["source"].tolist()
    tokens, lengths = task.get_interactive_tokens_and_lengths(["a", "", "x" * 9999], str)
    assert [row[0].item() for row in tokens] == [261] * 3
    assert lengths == [3, 2, 2048]
    assert task.src_dict.string(tokens[0]) == "a"


def test_the_order_of_sources_does_not_change_the_tags(data):
    tags = [
        several(data, source_lang=langs, source_tag=True).src_dict.tags
        for langs in ("de,fr", "fr,de")
    ]
    assert tags[0] == tags[1] == {"de": 260, "fr": 261}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source_lang": "ru"}, "tags for de, fr, and there is none for ru: choose"),
        ({"source_unit": "char"}, "--source-unit byte, and this is --source-unit char"),
    ],
)
def test_what_does_not_fit_a_checkpoint(data, options, message):
    (data / "dict.char.de.txt").write_text("a 1\n")
    state = tagged_state(data)
    task = make_task(data, **{"source_lang": "de", **options})
    with pytest.raises(ValueError, match=message):
        task.load_state_dict(state)


def test_a_checkpoint_without_tags(data):
    task = several(data, source_tag=True)
    with pytest.raises(ValueError, match="trained without --source-tag: drop that flag"):
        task.load_state_dict(several(data).state_dict())


def test_an_ensemble_has_the_same_tags(data):
    task = several(data, source_lang="de")
    task.load_state_dict(tagged_state(data))
    build_model(task)
    task.load_state_dict(tagged_state(data))
    with pytest.raises(ValueError, match="no tags.*cannot be an ensemble"):
        task.load_state_dict(several(data).state_dict())


def test_lines_of_unknown_language_need_a_choice(data):
    task = several(data, source_tag=True)
    with pytest.raises(ValueError, match=r"\(de, fr\): choose that of these lines"):
        task.get_interactive_tokens_and_lengths(["a"], str)
    tokens, _ = several(data).get_interactive_tokens_and_lengths(["a"], str)
    assert tokens[0].tolist() == [101, 2]


@torch.no_grad()
def test_a_tag_is_a_word_of_its_own(data):
    """Without attention beyond the word a tag changes nothing but its own state."""
    task = several(data, source_tag=True)
    line = task.src_dict.encode_line("kal do").long()
    batch = torch.stack([torch.cat([torch.tensor([tag]), line]) for tag in (260, 261)])
    wsf = {"encoder_fusion": "wsf", "fusion_layers": 2}
    for options in (wsf, {"encoder_embedder": "char-rnn", "encoder_layers": 0}):
        torch.manual_seed(1)
        model = ByteTransformerModel.build_model(model_args(**options), task).eval()
        states = model.encoder(batch)["encoder_out"][0]  # S x B x D
        differs = (states[:, 0] - states[:, 1]).abs().amax(1) > 1e-6
        assert differs.tolist() == [True] + [False] * (len(states) - 1)
        assert len(states) == (1 + len(line) if options is wsf else 4)


# --- bad input ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sampling_temperature": 0}, "--sampling-temperature 0 must be above 0"),
        ({"sampling_temperature": -2.5}, "--sampling-temperature -2.5 must be above 0"),
        ({"source_lang": "de,fr,de"}, "--source-lang de,fr,de names de twice"),
        ({"source_lang": "de,"}, "--source-lang de, has an empty code"),
        ({"target_lang": "en,ru,en"}, "--target-lang en,ru,en names en twice"),
        ({"source_lang": "de,en"}, "en is both a source and the target"),
    ],
)
def test_bad_languages(data, options, message):
    with pytest.raises(ValueError, match=message):
        several(data, **options)


def test_the_target_of_several_sources_is_inferred(data):
    task = several(data, target_lang=None)
    assert (task.cfg.source_lang, task.cfg.target_lang) == ("de,fr", "en")
    with pytest.raises(ValueError, match=r"\(de-en, fr-en\): choose one, or several"):
        several(data, source_lang=None)


def test_a_language_without_data_is_one_sentence(data):
    task = several(data, source_lang="de,gl")
    with pytest.raises(FileNotFoundError, match=r"no such file: .*train\.gl-en\.gl"):
        task.load_dataset("train")


def test_a_mixture_of_several_languages_has_one_list_of_words(data):
    task = several(data)
    with pytest.raises(FileNotFoundError, match=r"no such file: .*dict\.word\.de\.txt"):
        task.source_words()
    for lang in ("de", "fr"):
        (data / f"dict.word.{lang}.txt").write_text("wort 3\nende 2\n")
    assert several(data).source_words() == [b"wort", b"ende"]
    (data / "dict.word.fr.txt").write_text("ende 2\n")
    with pytest.raises(ValueError, match=r"fr\.txt differ, .*word_dict.py .* -s de,fr"):
        several(data).source_words()
