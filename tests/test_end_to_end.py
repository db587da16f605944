"""fairseq's own commands on the CPU: train, generate, interactive, resume, two workers."""

import re

import pytest
import torch

from .helpers import (
    SENTENCES,
    TRAIN_FLAGS,
    USER_DIR,
    bytefusion,
    failing,
    fairseq,
    train,
    train_with_two_workers,
    write_pair,
)

pytestmark = pytest.mark.long

GENERATE = ("--task", "byte_translation", "-s", "xx", "-t", "en", "--beam", "3")


@pytest.fixture(scope="module")
def trained(toy_data, tmp_path_factory):
    """A model that has seen the toy data long enough to copy letters."""
    folder = tmp_path_factory.mktemp("trained")
    result = train(
        toy_data, folder, "--max-update", "60", "--max-tokens", "1000",
        "--no-epoch-checkpoints",
        "--eval-bleu", "--eval-bleu-args", '{"beam": 1, "max_len_b": 10}',
        "--best-checkpoint-metric", "bleu", "--maximize-best-checkpoint-metric",
        "--validate-interval", "100",
    )  # fmt: skip
    return folder / "checkpoint_best.pt", result.stdout.decode()


@pytest.fixture(scope="module")
def generated(toy_data, trained, tmp_path_factory):
    log = tmp_path_factory.mktemp("generated") / "log"
    result = fairseq(
        "generate", toy_data, *GENERATE, "--path", trained[0], "--scoring", "sacrebleu"
    )
    log.write_bytes(result.stdout)
    return log


def model_of(path):
    import fairseq_bytefusion  # noqa: F401

    return torch.load(path, map_location="cpu")["model"]


def assert_same_parameters(first, second, tolerance):
    first, second = model_of(first), model_of(second)
    assert first.keys() == second.keys()
    for name in first:
        if name.endswith("._float_tensor"):
            continue  # fairseq saves a buffer that it never initialises
        assert (first[name] - second[name]).abs().max() <= tolerance, name


def test_training_logs_bleu_on_text(trained):
    assert re.search(r"valid on 'valid' subset .* \| bleu [0-9.]+ ", trained[1])
    loss = [float(x) for x in re.findall(r"train_inner .* loss=([0-9.]+)", trained[1])]
    assert loss[-1] < 0.6 * loss[0]


def test_generate_and_score_agree(toy_data, generated):
    printed = generated.read_bytes().decode().strip().split("\n")[-1]
    bleu = float(re.search(r"BLEU = ([0-9.]+)", printed)[1])
    for args in ((), ("--ref", toy_data / "test.xx-en.en")):
        result = bytefusion("score", "--hyp", generated, *args, cwd=USER_DIR.parent)
        ours = float(re.search(r"BLEU = ([0-9.]+)", result.stdout.decode())[1])
        assert ours == pytest.approx(bleu, abs=0.011)


def test_generate_shows_text(toy_data, generated):
    log = generated.read_bytes().decode()
    sources = (toy_data / "test.xx-en.xx").read_text().rstrip("\n").split("\n")
    for i, source in enumerate(sources):
        assert f"S-{i}\t{source}\nT-{i}\t{source[::-1]}\n" in log


def test_interactive_translates_as_generate(toy_data, trained, generated):
    source = (toy_data / "test.xx-en.xx").read_bytes()
    result = fairseq(
        "interactive", toy_data, *GENERATE, "--path", trained[0],
        "--buffer-size", "4", "--batch-size", "2", stdin=source,
    )  # fmt: skip
    pattern = re.compile(r"^D-(\d+)\t[^\t]*\t(.*)$", re.MULTILINE)
    interactive = dict(pattern.findall(result.stdout.decode()))
    assert interactive == dict(pattern.findall(generated.read_bytes().decode()))
    assert len(interactive) == 8


def test_every_odd_line_is_translated(trained, tmp_path):
    sources = [*SENTENCES, b"caf\xe9", "a\rb", "a\u2028b", "a </s> b <pad>", "x" * 70]
    write_pair(tmp_path, "test", sources, sources)
    result = fairseq(
        "generate", tmp_path, *GENERATE, "--path", trained[0], "--max-len-b", "8",
        "--max-len-a", "0", "--max-source-positions", "40",
        env={"PYTHONIOENCODING": "ascii", "LANG": "C", "PYTHONUTF8": "0"},
    )  # fmt: skip
    log = (result.stdout + result.stderr).decode("utf-8")
    found = re.findall(r"^D-(\d+)\t[^\t]*\t", log, re.MULTILINE)
    assert sorted(map(int, found)) == list(range(len(sources)))
    empty = SENTENCES.index("")
    assert re.search(rf"^D-{empty}\t-?0\.0\t$", log, re.MULTILINE)
    assert "1 of 14 lines are not UTF-8" in log
    assert "2 of 14 sentences have more than 39 bytes" in log
    assert "S-9\tcaf\ufffd\n" in log
    assert "S-12\ta </s> b <pad>\n" in log


def test_interactive_takes_any_bytes(toy_data, trained):
    result = fairseq(
        "interactive", toy_data, *GENERATE, "--path", trained[0], "--max-len-b", "5",
        stdin=b"caf\xe9\na\rb\n\n" + "a\u2028b\n".encode(),
        env={"PYTHONIOENCODING": "ascii", "LANG": "C", "PYTHONUTF8": "0"},
    )  # fmt: skip
    shown = re.findall(r"^S-(\d)\t(.*)$", result.stdout.decode("utf-8"), re.MULTILINE)
    assert shown == [("0", "caf\ufffd"), ("1", "a\rb"), ("2", ""), ("3", "a\u2028b")]


def test_resumed_training_equals_training_in_one_go(toy_data, tmp_path):
    flags = ("--no-epoch-checkpoints", "--disable-validation", "--dropout", "0.1")
    train(toy_data, tmp_path / "whole", "--max-update", "12", *flags)
    train(toy_data, tmp_path / "parts", "--max-update", "7", *flags)
    train(toy_data, tmp_path / "parts", "--max-update", "12", *flags)
    last = "checkpoint_last.pt"
    assert_same_parameters(tmp_path / "whole" / last, tmp_path / "parts" / last, 0)


def test_two_workers_equal_one_with_the_doubled_batch(toy_data, tmp_path):
    flags = [
        *("--max-update", "6", "--dropout", "0", "--no-epoch-checkpoints"),
        *("--disable-validation", "--max-tokens", "10000", "--batch-size", "8"),
    ]
    train(toy_data, tmp_path / "one", *flags, "--update-freq", "2")
    train_with_two_workers(toy_data, tmp_path / "two", *flags)
    last = "checkpoint_last.pt"
    assert_same_parameters(tmp_path / "one" / last, tmp_path / "two" / last, 1e-5)


def test_an_ensemble_generates(toy_data, trained):
    paths = f"{trained[0]}:{trained[0]}"
    result = fairseq("generate", toy_data, *GENERATE, "--path", paths)
    assert result.stdout.count(b"\nD-") == 8


def test_print_alignment(toy_data, trained):
    result = fairseq(
        "generate", toy_data, *GENERATE, "--path", trained[0], "--print-alignment", "hard"
    )
    assert result.stdout.count(b"\nA-") == 8


def test_a_truncated_checkpoint_is_named(toy_data, trained, tmp_path):
    broken = tmp_path / "broken.pt"
    broken.write_bytes(trained[0].read_bytes()[:-3000])
    error = failing("generate", toy_data, *GENERATE, "--path", broken)
    assert f"{broken} cannot be read as a fairseq checkpoint" in error.split("\n")[-1]


def test_a_checkpoint_of_another_task_is_named(toy_data, tmp_path):
    for lang in ("xx", "en"):
        (tmp_path / f"dict.{lang}.txt").write_text("a 1\nb 1\n")
    for split in ("train", "valid"):
        write_pair(tmp_path, split, ["a b"] * 4, ["b a"] * 4)
    words = tmp_path / "words"
    fairseq(
        *("preprocess", "-s", "xx", "-t", "en"),
        *("--trainpref", tmp_path / "train.xx-en", "--validpref", tmp_path / "valid.xx-en"),
        *("--srcdict", tmp_path / "dict.xx.txt", "--tgtdict", tmp_path / "dict.en.txt"),
        *("--destdir", words),
    )
    flags = [f for f in TRAIN_FLAGS if f not in ("--task", "byte_translation")]
    fairseq(
        "train", words, "--save-dir", tmp_path, *flags, "--task", "translation",
        "--max-update", "1", "--no-epoch-checkpoints", "--disable-validation",
        "--encoder-fusion", "wsf", "--left-pad-source",
    )  # fmt: skip
    path = tmp_path / "checkpoint_last.pt"
    error = failing("generate", toy_data, *GENERATE, "--path", path)
    assert (
        f"{path} (task translation, arch byte_transformer_tiny) does not fit the task at "
        "hand, ByteTranslationTask" in error
    )
    assert "size mismatch for encoder.embed_tokens.weight" in error


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("-s", "fr"), r"no such file: .*valid\.fr-en\.fr .*train\.xx-en\.xx"),
        (("--encoder-embedder", "one-hot"), "raise --encoder-embed-dim from 32"),
        (("--valid-subset", "dev"), r"no such file: .*dev\.xx-en\.xx"),
    ],
)
def test_a_mistake_is_one_clear_last_line(toy_data, tmp_path, flags, message):
    error = failing(
        "train",
        toy_data,
        "--save-dir",
        tmp_path,
        *TRAIN_FLAGS,
        "-s",
        "xx",
        "-t",
        "en",
        *flags,
    )
    assert re.search(message, error.split("\n")[-1])
