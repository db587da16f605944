from argparse import Namespace

import pytest
import torch
import torch.nn as nn
from fairseq.criterions.label_smoothed_cross_entropy import (
    LabelSmoothedCrossEntropyCriterion,
)
from fairseq.logging import metrics

from fairseq_bytefusion.modules.embedders import DenseEmbedder
from fairseq_bytefusion.modules.fusion import NgramConvolution
from fairseq_bytefusion.tasks.byte_translation import ByteTranslationTask

from ..helpers import SENTENCES, USER_DIR, build_model, write_pair
from .running import batches, ids, make_task


def test_the_language_pair_is_inferred(toy_data):
    task = make_task(toy_data, source_lang=None, target_lang=None)
    assert (task.cfg.source_lang, task.cfg.target_lang) == ("xx", "en")


def test_sources_are_padded_on_the_right_unless_asked(odd_data):
    for left in (False, True):
        task = make_task(odd_data, left_pad_source=left)
        task.load_dataset("test")
        for batch in batches(task, "test"):
            tokens = batch["net_input"]["src_tokens"]
            padded = (tokens == 1).any(1)
            assert padded.any()
            assert (tokens[padded][:, 0 if left else -1] == 1).all()


def test_shards_are_read_in_turn(tmp_path):
    shards = []
    for name in "abc":
        shards.append(tmp_path / name)
        shards[-1].mkdir()
        write_pair(shards[-1], "train", [name], [name])
    write_pair(shards[0], "valid", ["v"], ["v"])
    task = make_task(":".join(map(str, shards)))
    for epoch, name in enumerate("abcab", start=1):
        task.load_dataset("train", epoch=epoch)
        assert task.source_dictionary.decode(task.dataset("train")[0]["source"]) == name
    task.load_dataset("valid", epoch=3)
    assert len(task.dataset("valid")) == 1


def test_bucketed_batches_hold_every_pair(odd_data):
    task = make_task(odd_data, num_batch_buckets=3)
    task.load_dataset("test")
    assert ids(batches(task, "test")) == list(range(len(SENTENCES)))


def test_generating_from_the_training_set_keeps_every_line(tmp_path):
    write_pair(tmp_path, "train", ["a", "", "x" * 30], ["a", "b", ""])
    task = make_task(tmp_path, max_source_positions=10)
    task.load_dataset("train", task_cfg=task.cfg)
    iterator = task.get_batch_iterator(
        task.dataset("train"), max_tokens=100, max_positions=(10, 10)
    )
    found = list(iterator.next_epoch_itr(shuffle=False))
    assert ids(found) == [0, 1, 2]
    assert max(b["net_input"]["src_tokens"].shape[1] for b in found) == 10


def test_what_needs_references_says_so(tmp_path):
    write_pair(tmp_path, "test", ["a"], ["b"])
    (tmp_path / "test.xx-en.en").unlink()
    task, model = make_task(tmp_path), build_model()
    task.load_dataset("test")
    for name, value in (("prefix_size", 3), ("score_reference", True)):
        flag = "--" + name.replace("_", "-")
        with pytest.raises(
            ValueError, match=f"{flag} needs references, and test of {tmp_path}"
        ):
            task.build_generator([model], Namespace(**{name: value}))
    (batch,) = batches(task, "test")
    with pytest.raises(ValueError, match="validation needs references"):
        task.valid_step(batch, model, None)


def test_training_without_a_data_directory_says_so(tmp_path):
    task = make_task(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="no such data directory: .*nowhere"):
        task.build_model(None)


def test_words_cannot_be_copied(toy_data):
    with pytest.raises(ValueError, match="--replace-unk copies words .*: drop that flag"):
        make_task(toy_data).build_generator([build_model()], Namespace(replace_unk=""))


def test_a_scored_reference_keeps_its_score(tmp_path):
    write_pair(tmp_path, "test", [""], ["abc"])
    task, model = make_task(tmp_path), build_model()
    task.load_dataset("test")
    (batch,) = batches(task, "test")
    scorer = task.build_generator([model], Namespace(score_reference=True))
    ((hypothesis,),) = task.inference_step(scorer, [model], batch)
    assert task.target_dictionary.string(hypothesis["tokens"]) == "abc"
    assert float(hypothesis["score"]) < 0


def test_bleu_is_logged_where_it_is_zero(toy_data):
    task = make_task(toy_data, eval_bleu=True)
    zero = {f"_bleu_{kind}_{i}": 0 for kind in ("counts", "totals") for i in range(4)}
    some = {k: 3 - int(k[-1]) * ("counts" in k) for k in zero}
    for logs, low, high in (([zero], 0, 0), ([zero, some], 20, 99), ([some], 20, 99)):
        with metrics.aggregate(new_root=True) as aggregated:
            for log in logs:
                log = {**log, "_bleu_sys_len": 4, "_bleu_ref_len": 4, "ntokens": 1}
                task.reduce_metrics([{**log, "nsentences": 1}], SilentCriterion())
        assert low <= aggregated.get_smoothed_values()["bleu"] <= high


class SilentCriterion:
    """Logs nothing."""

    @staticmethod
    def reduce_metrics(logging_outputs):
        pass


@pytest.mark.parametrize("num_workers", [1, 2])
def test_numbers_of_any_module_are_logged(toy_data, monkeypatch, num_workers):
    monkeypatch.setattr(
        *(DenseEmbedder, "named_scalars"),
        lambda self: {"width": self.embedding_dim},
        raising=False,
    )
    task, model = make_task(toy_data), build_model(encoder_fusion="ncf", ncf_kernels="1,3")
    task.load_dataset("valid")
    criterion = LabelSmoothedCrossEntropyCriterion(task, True, 0.1)
    with metrics.aggregate(new_root=True) as aggregated:
        for batch in batches(task, "valid"):
            *_, log = task.valid_step(batch, model, criterion)
            task.reduce_metrics([log] * num_workers, criterion)
    found = aggregated.get_smoothed_values()
    assert found["ncf_lambda_1"] == found["ncf_lambda_3"] == 0.7071
    for side in ("encoder", "decoder"):
        assert found[f"{side}.embed_tokens.width"] == 32
    assert not [name for name in found if name.startswith("_")]


def logged(task, steps, model, criterion):
    """What a validation logs; ``steps``: of each, the batches of its workers."""
    with metrics.aggregate(new_root=True) as aggregated:
        for parts in steps:
            logs = [task.valid_step(batch, model, criterion)[2] for batch in parts]
            task.reduce_metrics(logs, criterion)
    return aggregated.get_smoothed_values()


@pytest.mark.parametrize("eval_bleu", [False, True])
def test_shares_of_ngrams_are_those_of_the_whole_validation_set(odd_data, eval_bleu):
    """For any batches, padding, number of workers; translating them changes nothing."""
    task = make_task(odd_data, eval_bleu=eval_bleu)
    task.tokenizer = None  # as fairseq has it before training
    model = build_model(encoder_fusion="ncf", encoder_normalize_before=True)
    if eval_bleu:
        task.sequence_generator = task.build_generator([model], Namespace(max_len_b=3))
    task.load_dataset("test")
    criterion = LabelSmoothedCrossEntropyCriterion(task, True, 0.1)
    one_by_one = batches(task, "test", max_sentences=1)
    assert len(one_by_one) == len(SENTENCES)
    found = logged(task, [[b] for b in one_by_one], model, criterion)
    shares = {name: value for name, value in found.items() if "share" in name}
    assert list(shares) == [f"ncf_share_{n}" for n in (1, 2, 3, 4)]
    assert sum(shares.values()) == pytest.approx(1, abs=2e-4)
    assert len(set(shares.values())) == 4
    together = [[b] for b in batches(task, "test")]
    two_workers = [one_by_one[:4], one_by_one[4:]]
    for steps in (together, two_workers, two_workers[::-1]):
        other = logged(task, steps, model, criterion)
        assert {name: other[name] for name in shares} == pytest.approx(shares, abs=1e-4)


def test_shares_of_several_modules_are_told_apart(odd_data):
    task, model = make_task(odd_data), build_model(encoder_fusion="ncf", ncf_kernels="1,2")
    model.encoder.layers.insert(1, WithNgrams(model.encoder.layers[0]))
    task.load_dataset("test")
    criterion = LabelSmoothedCrossEntropyCriterion(task, True, 0.1)
    found = logged(task, [[b] for b in batches(task, "test")], model, criterion)
    paths = ("encoder.fusion", "encoder.layers.1.ngrams")
    expected = {f"{path}.ncf_share_{n}" for path in paths for n in (1, 2)}
    assert {name for name in found if "share" in name} == expected


class WithNgrams(nn.Module):
    """A layer behind n-grams of its own."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        self.ngrams = NgramConvolution(32, [1, 2])

    def forward(self, x, geometry):
        no_padding = torch.zeros(x.shape[:2], dtype=torch.bool)
        return self.layer(self.ngrams(x, None, no_padding), geometry)


def test_alignments_are_refused_by_name(toy_data):
    with pytest.raises(ValueError, match="--load-alignments"):
        make_task(toy_data, load_alignments=True)


def test_preprocessing_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match="without fairseq-preprocess"):
        ByteTranslationTask.build_dictionary(["file"])


def test_interactive_lines(toy_data, caplog):
    task = make_task(toy_data, max_source_positions=8)
    tokens, lengths = task.get_interactive_tokens_and_lengths(
        ["kal", "", "世界你好"], lambda x: x
    )
    assert [task.source_dictionary.decode(t) for t in tokens] == ["kal", "", "世界"]
    assert lengths == [4, 1, 7]
    assert "12 bytes is cut to 7 (--max-source-positions)" in caplog.text
    dataset = task.build_dataset_for_inference(tokens, lengths)
    batch = dataset.collater([dataset[i] for i in range(3)])
    assert batch["net_input"]["src_tokens"][:, -1].tolist().count(1) == 2


def test_an_empty_line_is_translated_into_an_empty_line(odd_data):
    task, model = make_task(odd_data), build_model()
    task.load_dataset("test")
    generator = task.build_generator([model], Namespace(beam=2, max_len_b=5))
    for batch in batches(task, "test"):
        hypotheses = task.inference_step(generator, [model], batch)
        for i, hypothesis in zip(batch["id"].tolist(), hypotheses):
            if SENTENCES[i] == "":
                assert hypothesis[0]["tokens"].tolist() == [2]
                assert float(hypothesis[0]["score"]) == 0.0
            else:
                assert len(hypothesis) == 2


def test_task_and_model_survive_a_second_import():
    from fairseq.utils import import_user_module

    import_user_module(Namespace(user_dir=str(USER_DIR)))
    import_user_module(Namespace(user_dir=str(USER_DIR)))
