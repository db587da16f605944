import logging
from argparse import Namespace

import pytest
from fairseq import options
from fairseq.dataclass.configs import GenerationConfig
from fairseq.dataclass.utils import convert_namespace_to_omegaconf
from fairseq.logging import metrics

from fairseq_bytefusion.tasks.byte_translation import (
    ByteTranslationConfig,
    ByteTranslationTask,
)

from ..helpers import SENTENCES, USER_DIR, build_model, model_args, write_pair


def make_task(data, **options):
    cfg = ByteTranslationConfig(data=str(data), source_lang="xx", target_lang="en")
    cfg.train_subset, cfg.required_seq_len_multiple = "train", 1
    for name, value in options.items():
        setattr(cfg, name, value)
    return ByteTranslationTask.setup_task(cfg)


def batches(task, split, max_tokens=1000, max_positions=(2048, 2048)):
    iterator = task.get_batch_iterator(
        task.dataset(split),
        max_tokens=max_tokens,
        max_positions=max_positions,
        ignore_invalid_inputs=split == "train",
    )
    return list(iterator.next_epoch_itr(shuffle=False))


def ids(found):
    return sorted(i for batch in found for i in batch["id"].tolist())


def test_the_language_pair_is_inferred(toy_data):
    task = make_task(toy_data, source_lang=None, target_lang=None)
    assert (task.cfg.source_lang, task.cfg.target_lang) == ("xx", "en")


def test_training_drops_empty_and_over_long_pairs_and_says_so(tmp_path, caplog):
    sources = ["a", "", "b", "x" * 30, "c", "d", ""]
    targets = ["a", "b", "", "c", "y" * 30, "d", ""]
    write_pair(tmp_path, "train", sources, targets)
    task = make_task(tmp_path)
    task.load_dataset("train")
    with caplog.at_level(logging.WARNING):
        found = batches(task, "train", max_positions=(20, 25))
    assert ids(found) == [0, 5]
    messages = [r.getMessage() for r in caplog.records if r.levelname == "WARNING"]
    assert messages == [
        "3 of 7 pairs dropped: an empty side",
        "1 of 7 pairs dropped: a source over 19 bytes",
        "1 of 7 pairs dropped: a target over 24 bytes",
    ]


def test_training_drops_what_no_batch_can_hold(tmp_path, caplog):
    write_pair(tmp_path, "train", ["a", "x" * 30], ["b", "c"])
    task = make_task(tmp_path)
    task.load_dataset("train")
    assert ids(batches(task, "train", max_tokens=10)) == [0]
    assert "1 of 2 pairs dropped: a source over 9 bytes" in caplog.text


def test_a_training_set_without_a_usable_pair_is_an_error(tmp_path):
    write_pair(tmp_path, "train", ["", "a"], ["b", ""])
    task = make_task(tmp_path)
    task.load_dataset("train")
    with pytest.raises(ValueError, match="no pair is left"):
        batches(task, "train")


@pytest.mark.parametrize("split", ["valid", "test"])
def test_other_splits_keep_every_line(tmp_path, split, caplog):
    sources = ["a", "", "世" * 20, "b"]
    write_pair(tmp_path, split, sources, ["", "b", "c", "y" * 90])
    task = make_task(tmp_path, max_source_positions=12)
    task.load_dataset(split)
    found = batches(task, split, max_tokens=40, max_positions=(12, 12))
    assert ids(found) == [0, 1, 2, 3]
    by_id = {
        i: task.source_dictionary.decode(row)
        for batch in found
        for i, row in zip(batch["id"].tolist(), batch["net_input"]["src_tokens"])
    }
    assert by_id[2] == "世世世"
    assert "1 of 4 sentences have more than 11 bytes" in caplog.text


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


def test_truncate_source_cuts_in_training_too(tmp_path):
    write_pair(tmp_path, "train", ["x" * 30], ["y"])
    task = make_task(tmp_path, truncate_source=True, max_source_positions=10)
    task.load_dataset("train")
    assert (
        len(batches(task, "train", max_positions=(10, 10))[0]["net_input"]["src_tokens"][0])
        == 10
    )


def test_bucketed_batches_hold_every_pair(odd_data):
    task = make_task(odd_data, num_batch_buckets=3)
    task.load_dataset("test")
    assert ids(batches(task, "test")) == list(range(len(SENTENCES)))


def test_buckets_do_not_change_what_is_dropped(tmp_path, caplog):
    sources = ["a", "", "x" * 30, "bcd"]
    write_pair(tmp_path, "train", sources, ["a", "b", "c", "dd"])
    task = make_task(tmp_path, num_batch_buckets=1)
    task.load_dataset("train")
    assert ids(batches(task, "train", max_positions=(20, 20))) == [0, 3]
    assert "1 of 4 pairs dropped: an empty side" in caplog.text


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


def test_learned_positions_bound_every_split(tmp_path, caplog):
    write_pair(tmp_path, "valid", ["x" * 30], ["y" * 40])
    task = make_task(tmp_path)
    args = model_args(
        encoder_learned_pos=True,
        decoder_learned_pos=True,
        max_source_positions=20,
        max_target_positions=25,
    )
    args.arch = args._name = "byte_transformer_tiny"
    args.quant_noise_scalar = 0
    model = task.build_model(args).eval()
    task.load_dataset("valid")
    (batch,) = batches(task, "valid")
    assert batch["net_input"]["src_tokens"].shape[1] == 20
    assert batch["target"].shape[1] == 25
    assert model(**batch["net_input"])[0].isfinite().all()
    tokens, _ = task.get_interactive_tokens_and_lengths(["z" * 99], lambda x: x)
    assert len(tokens[0]) == 20


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


def generate_args(*extra):
    parser = options.get_generation_parser()
    return options.parse_args_and_arch(
        parser,
        ["DATA", "--task", "byte_translation", "--path", "x", *extra],
    )


def test_length_limits_fit_bytes_and_lose_to_the_user():
    args = generate_args()
    assert (args.max_len_a, args.max_len_b) == (3.0, 200)
    args = generate_args("--max-len-a", "0", "--max-len-b", "200")
    assert (args.max_len_a, args.max_len_b) == (0, 200)
    assert generate_args("--max-len-b", "7").max_len_b == 7


def test_length_limits_are_saved_with_a_training():
    parser = options.get_training_parser()
    flags = ["DATA", "--task", "byte_translation", "--arch", "byte_transformer_tiny"]
    args = options.parse_args_and_arch(parser, flags)
    cfg = convert_namespace_to_omegaconf(args)
    assert (cfg.generation.max_len_a, cfg.generation.max_len_b) == (3.0, 200)


def test_the_generator_for_validation_gets_them_too(toy_data):
    task, model = make_task(toy_data), build_model()
    generator = task.build_generator([model], Namespace(beam=2))
    assert (generator.max_len_a, generator.max_len_b) == (3.0, 200)
    generator = task.build_generator([model], Namespace(max_len_b=5))
    assert (generator.max_len_a, generator.max_len_b) == (3.0, 5)
    generator = task.build_generator([model], GenerationConfig(max_len_b=9))
    assert generator.max_len_b == 9


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


@pytest.mark.parametrize(
    ("source", "target", "options", "warned"),
    [
        ("char", "byte", {}, True),
        ("char", "byte", {"max_len_a": 12.0}, False),
        ("char", "char", {}, False),
        ("byte", "char", {}, False),
    ],
)
def test_limits_that_may_be_short_for_the_target_unit(
    toy_data, tmp_path, caplog, source, target, options, warned
):
    for lang in ("xx", "en"):
        (tmp_path / f"dict.char.{lang}.txt").write_text("a 1\n")
    task = make_task(tmp_path, source_unit=source, target_unit=target)
    task.build_generator([build_model()], Namespace(**options))
    assert ("3 x source characters + 200 bytes are cut" in caplog.text) == warned
