"""``--task embedding_approximation`` through fairseq's commands."""

import re
from argparse import Namespace

import numpy as np
import pytest
import torch
from fairseq.models import ARCH_CONFIG_REGISTRY

from fairseq_bytefusion import cli
from fairseq_bytefusion.tasks.embedding_approximation import (
    EmbeddingApproximationConfig,
    EmbeddingApproximationTask,
)

from .helpers import REPO, approximate, fairseq

pytestmark = pytest.mark.long

REAL_ROWS = REPO / "data_prep/sample_table/minilm_wordpiece_500.f16.npy.gz"


def model_of(path):
    return torch.load(path, map_location="cpu")["model"]


def logged(output, subset):
    """dict of str to float: the last validation on ``subset``."""
    line = re.findall(rf"valid on '{subset}' subset \| (.*)", output.decode())[-1]
    return {
        name: float(value) for name, value in (part.split() for part in line.split(" | "))
    }


@pytest.fixture(scope="module")
def real_rows(tmp_path_factory):
    """500 real rows, learned; the folder and what fairseq-train printed."""
    folder = tmp_path_factory.mktemp("real")
    result = approximate(
        REAL_ROWS, folder, "--char-embed-dim", "128", "--num-neighbours", "15",
        "--batch-size", "125", "--lr", "0.003", "--lr-scheduler", "polynomial_decay",
        "--max-update", "600", "--total-num-update", "600", "--validate-interval", "1000",
        "--save-interval", "1000",
    )  # fmt: skip
    return folder / "checkpoint_best.pt", result.stdout + result.stderr


def test_500_real_rows_are_learned(real_rows):
    clean, noised = (logged(real_rows[1], subset) for subset in ("clean", "noised"))
    assert clean["accuracy"] > 0.9
    assert clean["precision@1"] > 0.9
    for name in ("precision@15", "mean_precision", "average_precision"):
        assert 0.3 < noised[name] < clean[name] < 1
    for name in ("ce", "cos", "l2", "nbr", "loss"):
        assert 0 < clean[name] < noised[name]


def test_validation_has_other_noise_than_training():
    cfg = EmbeddingApproximationConfig(data=str(REAL_ROWS), noise_prob=1.0)
    task = EmbeddingApproximationTask.setup_task(cfg)
    spellings = []
    for split in ("train", "noised"):
        task.load_dataset(split)
        dataset = task.dataset(split)
        items = [dataset[i] for i in range(len(dataset))]
        spellings.append({i["row"]: tuple(i["symbols"].tolist()) for i in items})
    train, noised = spellings
    same = sum(train[row] == spelling for row, spelling in noised.items())
    assert len(noised) > 200
    assert same < 0.1 * len(noised)  # by chance


def test_neighbours_of_any_spelling(real_rows, capsys):
    words = ["because", "becuase", "goverment"]
    assert cli.main(["neighbours", str(real_rows[0]), *words, "-k", "2"]) == 0
    lines = capsys.readouterr().out.split("\n")[:-1]
    pattern = r"(\S+) +(\S+) (0\.\d{3})  \S+ (0\.\d{3})"
    found = [re.fullmatch(pattern, line).groups() for line in lines]
    expected = [("because", "because"), ("becuase", "because"), ("goverment", "government")]
    assert [row[:2] for row in found] == expected
    assert all(float(first) > float(second) for _, _, first, second in found)


def test_continuations_are_told_from_words(real_rows, capsys):
    cli.main(["neighbours", str(real_rows[0]), "##ing", "going", "-k", "1"])
    names = [line.split()[1] for line in capsys.readouterr().out.splitlines()]
    assert names == ["##ing", "going"]


def test_a_checkpoint_holds_the_composer_and_not_the_table(approximation):
    parameters = model_of(approximation)
    assert all(name.startswith("composer.") for name in parameters)
    assert all(len(tensor) != 11 for tensor in parameters.values() if tensor.dim())


def test_training_in_parts_with_workers_equals_training_in_one_go(word_table, tmp_path):
    flags = ("--disable-validation", "--dropout", "0.1")
    approximate(word_table, tmp_path / "whole", "--max-update", "8", *flags)
    flags = (*flags, "--num-workers", "2")
    approximate(word_table, tmp_path / "parts", "--max-update", "5", *flags)
    approximate(word_table, tmp_path / "parts", "--max-update", "8", *flags)
    whole, parts = (
        model_of(tmp_path / name / "checkpoint_last.pt") for name in ("whole", "parts")
    )
    for name, tensor in whole.items():
        assert torch.equal(tensor, parts[name]), name


def test_validate_repeats_what_training_logged(word_table, tmp_path):
    by = ("--best-checkpoint-metric", "mean_precision", "--maximize-best-checkpoint-metric")
    result = approximate(word_table, tmp_path, "--max-update", "4", *by)
    best = torch.load(tmp_path / "checkpoint_best.pt")["extra_state"]["best"]
    clean = logged(result.stdout + result.stderr, "clean")
    assert best == clean["best_mean_precision"] >= clean["mean_precision"] > 0
    again = fairseq(
        "validate", word_table, "--task", "embedding_approximation", "--batch-size", "4",
        "--path", tmp_path / "checkpoint_last.pt", "--log-format", "simple",
    )  # fmt: skip
    for subset in ("clean", "noised"):
        expected = logged(result.stdout + result.stderr, subset)
        line = re.findall(rf"INFO \| {subset} \|.*", (again.stdout + again.stderr).decode())
        found = dict(part.split() for part in line[-1].split(" | ")[3:])
        means = ("mean_precision", "average_precision")
        for name in ("accuracy", *means, "precision@3", "nbr", "loss"):
            assert float(found[name]) == pytest.approx(expected[name], abs=2e-4), name


def test_the_papers_preset_loses_to_flags():
    args = Namespace(char2subword_heads=6)
    ARCH_CONFIG_REGISTRY["embedding_approximation_paper"](args)
    expected = {"char2subword_layers": 6, "char_embed_dim": 768, "char2subword_heads": 6}
    assert vars(args) == expected


@pytest.mark.parametrize(
    ("teacher", "flags", "message"),
    [
        ("nothing", (), "no such file or directory: nothing"),
        (None, ("--noise-prob", "2"), r"--noise-prob 2\.0 must lie between 0 and 1"),
        (None, ("--char-embed-dim", "10"), "--char-embed-dim 10 must be even and a mult"),
        (
            None,
            ("--valid-subset", "valid"),
            "no split 'valid': choose from train, clean, n",
        ),
    ],
)
def test_a_mistake_is_one_clear_last_line(word_table, tmp_path, teacher, flags, message):
    teacher = teacher or word_table
    result = approximate(teacher, tmp_path, *flags, check=False)
    assert result.returncode != 0
    last = (result.stdout + result.stderr).decode().strip().split("\n")[-1]
    assert re.search(message, last), last


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("##",), "'##' spells nothing"),
        (("a", "-k", "12"), "12 nearest of 11 rows cannot be found"),
        (("a", "--teacher", "gone.npy"), "no such file or directory: gone.npy"),
    ],
)
def test_mistakes_of_neighbours(approximation, capsys, args, message):
    assert cli.main(["neighbours", str(approximation), *args]) == 1
    assert message in capsys.readouterr().err


def save_table(folder, name, rows):
    (folder / f"{name}.tsv").write_text("".join(f"w{i}\n" for i in range(len(rows))))
    np.save(folder / f"{name}.npy", rows)
    return str(folder / f"{name}.npy")


def test_a_table_of_another_width_is_none_of_this_checkpoint(
    approximation, tmp_path, capsys
):
    table = save_table(tmp_path, "narrow", np.eye(8))
    assert cli.main(["neighbours", str(approximation), "a", "--teacher", table]) == 1
    message = f"--teacher {table} has rows of 8 numbers, {approximation} composes 32"
    assert message in capsys.readouterr().err


def test_a_table_that_moved_can_be_pointed_out(approximation, tmp_path, capsys):
    state = torch.load(approximation, map_location="cpu")
    state["cfg"]["task"]["data"] = "gone.npy"
    torch.save(state, tmp_path / "moved.pt")
    assert cli.main(["neighbours", str(tmp_path / "moved.pt"), "a"]) == 1
    message = "no such file or directory: gone.npy; say with --teacher where the table is"
    assert message in capsys.readouterr().err


def test_short_entries_alone_cannot_be_misspelt(tmp_path):
    table = save_table(tmp_path, "short", np.eye(4))
    task = EmbeddingApproximationTask.setup_task(EmbeddingApproximationConfig(data=table))
    task.load_dataset("clean")
    message = (
        f"no entry of {table} has more than four characters: give --valid-subset clean"
    )
    with pytest.raises(ValueError, match=message):
        task.load_dataset("noised")
