"""Every embedder and fusion by fairseq's own commands."""

import re

import pytest

from fairseq_bytefusion import cli
from fairseq_bytefusion.modules.embedders import EMBEDDERS

from .helpers import SENTENCES, TRAIN_FLAGS, failing, fairseq, train

pytestmark = pytest.mark.long

GENERATE = ("--task", "byte_translation", "-s", "xx", "-t", "en", "--beam", "3")

ONE_HOT = [
    *("--encoder-embedder", "one-hot", "--decoder-embedder", "one-hot"),
    *("--encoder-embed-dim", "264", "--decoder-embed-dim", "264"),
]
NCF, WSF = ("--encoder-fusion", "ncf"), ("--encoder-fusion", "wsf")
MSC = ("--encoder-fusion", "msc", "--decoder-fusion", "msc")
FUSED = [
    flag
    for where in ("encoder", "decoder", "cross")
    for flag in (f"--{where}-attention", "fused")
]
LANGUAGE_MODEL = "language model"  # in place of its path
CHARACTERS = ("--char-embed-dim", "16", "--encoder-embedder")
COMPOSERS = {
    "char2subword": [*CHARACTERS, "char2subword", "--checkpoint-activations"],
    "char-cnn": [
        *(*CHARACTERS, "char-cnn", "--char-cnn-filters", "1:8,2:8,7:8"),
        *("--char-cnn-activation", "relu", "--char-cnn-highway-layers", "1"),
    ],
    "char-rnn": [*CHARACTERS, "char-rnn", "--max-word-chars", "4"],
    "hit": [*CHARACTERS, "hit", "--hit-layers", "2", "--hit-ffn-embed-dim", "16"],
    "hit in a mixture": [
        *(*CHARACTERS, "mixture", "--mixture-composer", "hit", "--hit-heads", "2"),
        *("--hit-pooling", "max"),
    ],
    "words": ["--encoder-embedder", "words", "--word-dropout", "0.2"],
    "elmo": ["--encoder-embedder", "elmo", "--elmo-from", LANGUAGE_MODEL],
    "hybrid": [
        *(*CHARACTERS, "mixture", "--mixture", "hybrid"),
        *("--mixture-composer", "char-rnn"),
    ],
}
SYSTEMS = {
    "one-hot": [*ONE_HOT, "--one-hot-output-scale", "sqrt-dim"],
    "ncf": [*NCF, "--fusion-layers", "1", "--ncf-weights", "softmax"],
    "wsf": [*WSF, "--wsf-boundary", "script", "--checkpoint-activations"],
    "ncf one-hot": [*ONE_HOT, *NCF, "--ncf-unigram", "identity"],
    "wsf one-hot": [
        *(*ONE_HOT, *WSF, "--wsf-max-word", "8", "--one-hot-output", "learned"),
    ],
    "msc one-hot": [*ONE_HOT, *MSC, "--msc-kernels", "0,1,5"],
    "fused": [*FUSED, "--encoder-fusion", "wsf", "--fused-gate", "scalar"],
    **COMPOSERS,
}


def test_every_embedder_is_among_the_systems():
    flags = [value for system in SYSTEMS.values() for value in system]
    assert {"dense"} | {flag for flag in flags if flag in EMBEDDERS} == set(EMBEDDERS)


def filled_in(flags, language_model):
    """list of str: ``flags`` with the path of the language model."""
    return [str(language_model) if flag == LANGUAGE_MODEL else flag for flag in flags]


@pytest.mark.parametrize("flags", SYSTEMS.values(), ids=SYSTEMS)
def test_every_system_trains_resumes_averages_generates_and_scores(
    toy_data, language_model, tmp_path, capsys, flags
):
    flags = filled_in(flags, language_model)
    save = (*flags, "--save-interval-updates", "2", "--keep-interval-updates", "2")
    train(toy_data, tmp_path, *save, "--max-update", "4", "--no-epoch-checkpoints")
    resumed = train(
        toy_data, tmp_path, *save, "--max-update", "6", "--no-epoch-checkpoints"
    )
    assert b"checkpoint_last.pt (epoch" in resumed.stdout + resumed.stderr
    if "ncf" in flags:  # it starts at 0.25, or 0.5 if not convex
        logged = (
            rb"valid on 'valid' subset .*\| ncf_lambda_4 0\.[245].*\| ncf_share_4 0\.[23]"
        )
        assert re.search(logged, resumed.stdout)
    if "--fused-gate" in flags:
        assert b"| decoder.layers.0.encoder_attn.gate_outer 0." in resumed.stdout

    average = tmp_path / "average.pt"
    assert (
        cli.main(["average", str(tmp_path), "--last", "2", "--output", str(average)]) == 0
    )
    log = tmp_path / "log"
    log.write_bytes(
        fairseq(
            "generate", toy_data, *GENERATE, "--path", average, "--max-len-b", "5"
        ).stdout
    )
    assert cli.main(["score", "--hyp", str(log)]) == 0
    assert "BLEU = " in capsys.readouterr().out


@pytest.mark.parametrize("name", ["one-hot", "ncf", "wsf", "fused", *COMPOSERS])
def test_interactive_pads_on_either_side(toy_data, language_model, tmp_path, name):
    flags = filled_in(SYSTEMS[name], language_model)
    train(toy_data, tmp_path, *flags, "--max-update", "3", "--no-epoch-checkpoints")
    shown = []
    for side in ([], ["--left-pad-source"]):
        result = fairseq(
            "interactive", toy_data, *GENERATE, "--path", tmp_path / "checkpoint_last.pt",
            "--max-len-b", "5", "--buffer-size", "3", "--batch-size", "3", *side,
            stdin=b"kal subah\nx\nalarm laga do kal\n",
        )  # fmt: skip
        shown.append(
            re.findall(r"^D-(\d)\t(\S+)\t(.*)$", result.stdout.decode(), re.MULTILINE)
        )
    assert len(shown[0]) == 3
    for right, left in zip(*shown):
        assert (right[0], right[2]) == (left[0], left[2])
        assert float(right[1]) == pytest.approx(float(left[1]), abs=1e-5)


def test_odd_lines_are_composed(odd_data, tmp_path):
    train(odd_data, tmp_path, *COMPOSERS["char2subword"], "--max-update", "2",
          "--max-tokens", "2000", "--no-epoch-checkpoints")  # fmt: skip
    flags = (
        *(odd_data, *GENERATE, "--path", tmp_path / "checkpoint_last.pt"),
        *("--max-len-b", "5", "--max-len-a", "0"),
    )
    result = fairseq("generate", *flags)
    output = (result.stdout + result.stderr).decode("utf-8")
    assert output.count("\nD-") == len(SENTENCES)
    assert "symbols (--max-word-chars), so far: 1" in output
    error = failing("generate", *flags, "--print-alignment", "hard")
    assert "sees words: drop that flag" in error.split("\n")[-1]


def test_the_word_list_of_a_mixture(toy_data, tmp_path):
    for split in ("train", "valid", "test"):
        for lang in ("xx", "en"):
            name = f"{split}.xx-en.{lang}"
            (tmp_path / name).write_bytes((toy_data / name).read_bytes())
    flags = (*COMPOSERS["hybrid"], "--max-update", "1", "--no-epoch-checkpoints")
    mistake = failing("train", tmp_path, "--save-dir", tmp_path, *TRAIN_FLAGS, *flags)
    assert f"no such file: {tmp_path / 'dict.word.xx.txt'}" in mistake.split("\n")[-1]
