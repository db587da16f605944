from ..helpers import train


def test_a_checkpoint_is_named_by_its_update_also_where_an_epoch_ends(toy_data, tmp_path):
    # 60 pairs in batches of 16: an epoch ends on update 4 and on update 8.
    train(
        toy_data, tmp_path, "--max-tokens", "20000", "--batch-size", "16",
        "--max-update", "8", "--no-epoch-checkpoints", "--disable-validation",
        "--save-interval", "100", "--save-interval-updates", "2",
        "--keep-interval-updates", "3",
    )  # fmt: skip
    found = sorted(path.name for path in tmp_path.glob("checkpoint_*_*.pt"))
    assert found == ["checkpoint_1_4.pt", "checkpoint_2_6.pt", "checkpoint_2_8.pt"]
    last = (tmp_path / "checkpoint_last.pt").read_bytes()
    assert (tmp_path / "checkpoint_2_8.pt").read_bytes() == last
