import pytest

from fairseq_bytefusion.tasks.shared.positions import LearnedPositions

from ...helpers import model_args, write_pair
from ..running import batches, make_task


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


@pytest.mark.parametrize(
    ("learned", "limit", "most"),
    [({}, None, None), ({}, 5, 5), ({"encoder": 3}, None, 3), ({"encoder": 3}, 2, 2)]
    + [({"encoder": 3}, 9, 3), ({"decoder": 3}, 9, 9)],
)
def test_most_positions(learned, limit, most):
    task = LearnedPositions()
    task.learned_positions = learned
    assert task.most_positions("encoder", limit) == most
