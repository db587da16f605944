import logging
from argparse import Namespace

import pytest
from fairseq import options
from fairseq.dataclass.configs import GenerationConfig
from fairseq.dataclass.utils import convert_namespace_to_omegaconf

from ...helpers import build_model, model_args, write_pair
from ..running import batches, ids, make_task


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


def test_truncate_source_cuts_in_training_too(tmp_path):
    write_pair(tmp_path, "train", ["x" * 30], ["y"])
    task = make_task(tmp_path, truncate_source=True, max_source_positions=10)
    task.load_dataset("train")
    assert (
        len(batches(task, "train", max_positions=(10, 10))[0]["net_input"]["src_tokens"][0])
        == 10
    )


def test_buckets_do_not_change_what_is_dropped(tmp_path, caplog):
    sources = ["a", "", "x" * 30, "bcd"]
    write_pair(tmp_path, "train", sources, ["a", "b", "c", "dd"])
    task = make_task(tmp_path, num_batch_buckets=1)
    task.load_dataset("train")
    assert ids(batches(task, "train", max_positions=(20, 20))) == [0, 3]
    assert "1 of 4 pairs dropped: an empty side" in caplog.text


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
