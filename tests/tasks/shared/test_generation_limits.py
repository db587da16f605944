from argparse import Namespace

import pytest
from fairseq import options
from fairseq.dataclass.configs import GenerationConfig
from fairseq.dataclass.utils import convert_namespace_to_omegaconf

from ...helpers import build_model
from ..running import make_task


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
