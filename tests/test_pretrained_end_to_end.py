"""char2subword within a pre-trained encoder, by fairseq's own commands."""

import re
import shutil

import pytest
import torch

pytest.importorskip("transformers")

from fairseq_bytefusion import cli  # noqa: E402
from fairseq_bytefusion.data.hugging_face import read_masked_lm  # noqa: E402

from .conftest import WORDS  # noqa: E402
from .helpers import approximate, bytefusion, fairseq, script, train_labels  # noqa: E402
from .pretrained import CHAR2SUBWORD, LAST, mask, part_of, printed, tag  # noqa: E402
from .tasks.shared.test_composer_transfer import (  # noqa: E402
    build as build_translation,
)
from .test_end_to_end import assert_same_parameters  # noqa: E402

pytestmark = pytest.mark.long


def assert_same_composer(path, other, prefix="composer."):
    found, expected = part_of(path, prefix), part_of(other)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert torch.equal(found[name], value), name


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    for split, count in (("train", 30), ("valid", 6)):
        lines = [
            " ".join(WORDS[i * k % 9] for k in range(1, 3 + i % 9)) for i in range(count)
        ]
        (folder / f"{split}.xx").write_text("\n".join(["", *lines]) + "\n")
    return folder


@pytest.fixture(scope="module")
def stages(small_bert, text, tmp_path_factory):
    """Checkpoints of approximation, pre-training, approximation again."""
    folder = tmp_path_factory.mktemp("stages")
    short = ("--disable-validation", "--max-update")
    approximate(small_bert, folder / "1", *short, "3")
    start = ("--char2subword-from", folder / "1" / LAST)
    output = printed(mask(text, small_bert, folder / "2", "--max-update", "8", *start))
    assert re.search(r"valid on 'valid' subset \| loss \S+ \| accuracy \S+ \| ppl", output)
    assert "train.xx: 1 of 31 sentences have no piece to predict" in output
    start = ("--char2subword-from", folder / "2" / LAST)
    approximate(small_bert, folder / "3", *short, "2", *start)
    return [folder / name / LAST for name in "123"]


@pytest.fixture(scope="module")
def characters(text, tmp_path_factory):
    """A checkpoint of masked characters, of char2subword."""
    folder = tmp_path_factory.mktemp("characters")
    fairseq(
        "train", text, "--save-dir", folder, "--task", "masked_characters", "-s", "xx",
        "--arch", "masked_characters", "--criterion", "masked_characters",
        "--encoder-embedder", "char2subword", *CHAR2SUBWORD, "--optimizer", "adam", "--lr",
        "0.01", "--max-tokens", "200", "--num-workers", "0", "--max-update", "3",
        "--no-epoch-checkpoints", "--disable-validation",
    )  # fmt: skip
    return folder / LAST


def test_each_stage_starts_where_the_one_before_ended(
    small_bert, text, stages, tmp_path, label_data
):
    """With a learning rate of 0 nothing but the start is seen."""
    still = ("--lr", "0", "--max-update", "1", "--disable-validation")
    first, second, third = stages
    mask(text, small_bert, tmp_path / "2", *still, "--char2subword-from", first)
    assert_same_composer(tmp_path / "2" / LAST, first)
    approximate(small_bert, tmp_path / "3", *still, "--char2subword-from", second)
    assert_same_composer(tmp_path / "3" / LAST, second)
    for stage in (second, third):
        start = ("--char2subword-from", stage)
        folder = tmp_path / "tagger"
        tag("tagging", "full", label_data, small_bert, folder, *still, *start)
        prefix = "encoder.embed_tokens.composer."
        assert_same_composer(folder / LAST, stage, prefix)
        shutil.rmtree(folder)


@pytest.mark.parametrize("stage", ["approximation", "masked pieces"])
def test_a_stage_starts_from_masked_characters(
    small_bert, text, characters, tmp_path, stage
):
    """What reads characters is the learned one, what makes words of it is new."""
    still = ("--lr", "0", "--max-update", "1", "--disable-validation")
    start = (*still, "--composer-from", characters)
    if stage == "approximation":
        log = printed(approximate(small_bert, tmp_path, *start))
    else:
        log = printed(mask(text, small_bert, tmp_path, *start))
    new = "projection.weight, projection.bias, layer_norm.weight, layer_norm.bias"
    assert re.search(rf"tensors are those of {characters}, new are: {new}\b", log)
    found, expected = part_of(tmp_path / LAST), part_of(characters)
    assert found.keys() - expected.keys() == set(new.split(", "))
    for name, value in expected.items():
        assert torch.equal(found[name], value), name
    table = read_masked_lm(str(small_bert))["bert.embeddings.word_embeddings.weight"]
    # The new part is at the table's scale; a teacher lacks the rows of special pieces.
    assert torch.allclose(found["layer_norm.weight"], table.std(0), rtol=0.1)


def test_a_hybrid_of_translation_takes_its_rows_from_the_directory(
    stages, toy_data, caplog
):
    options = {"encoder_embedder": "mixture", "mixture": "hybrid"}
    for stage in stages:
        caplog.clear()
        with caplog.at_level("INFO"):
            model = build_translation(toy_data, char2subword_from=str(stage), **options)
        found = model.encoder.embed_tokens.composer.state_dict()
        expected = part_of(stage)
        assert all(torch.equal(found[name], value) for name, value in expected.items())
        assert re.search(r"word table: [1-9]\d* of \d+ rows from \S+bert,", caplog.text)


def test_the_model_above_stays_as_it_is(small_bert, stages):
    found = part_of(stages[1], "masked_lm.")
    expected = read_masked_lm(str(small_bert))
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert torch.equal(found[name], value), name


def test_masking_resumes_exactly(small_bert, text, tmp_path):
    flags = ("--dropout", "0.1", "--mask-level", "piece", "--disable-validation")
    mask(text, small_bert, tmp_path / "whole", "--max-update", "9", *flags)
    flags = (*flags, "--num-workers", "2")
    mask(text, small_bert, tmp_path / "parts", "--max-update", "4", *flags)
    mask(text, small_bert, tmp_path / "parts", "--max-update", "9", *flags)
    assert_same_parameters(tmp_path / "whole" / LAST, tmp_path / "parts" / LAST, 0)


def test_validate_needs_no_directory(small_bert, text, tmp_path):
    bert = shutil.copytree(small_bert, tmp_path / "bert")
    result = mask(text, bert, tmp_path, "--max-update", "2")
    shutil.rmtree(bert)
    again = fairseq(
        "validate", text, "--task", "masked_pieces", "-s", "xx", "--pretrained", bert,
        "--path", tmp_path / LAST, "--batch-size", "5", "--log-format", "simple",
    )  # fmt: skip
    expected = re.findall(r"valid on 'valid' subset \| (loss \S+)", printed(result))[-1]
    assert re.search(rf"INFO \| valid \|.*{re.escape(expected)}", printed(again))


@pytest.mark.parametrize(
    ("kind", "mode"),
    [("tagging", "pieces"), ("tagging", "hybrid"), ("classification", "full")],
)
def test_labels_are_learned_resumed_averaged_and_predicted(
    small_bert, label_data, stages, tmp_path, capsys, kind, mode
):
    bert = shutil.copytree(small_bert, tmp_path / "bert")
    data = shutil.copytree(label_data, tmp_path / "data")
    start = shutil.copy(stages[2], tmp_path / "start.pt")
    flags = ["--save-interval-updates", "5", "--disable-validation", "--lr", "0.01"]
    if mode != "pieces":
        flags += ["--char2subword-from", start]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    tag(kind, mode, data, bert, whole, *flags, "--max-update", "10")
    tag(kind, mode, data, bert, parts, *flags, "--max-update", "5")
    resumed = tag(kind, mode, data, bert, parts, *flags, "--max-update", "10")
    assert "checkpoint_last.pt (epoch" in printed(resumed)
    assert_same_parameters(whole / LAST, parts / LAST, 0)
    average = tmp_path / "average.pt"
    assert cli.main(["average", str(parts), "--last", "2", "--output", str(average)]) == 0

    for path in (bert, data):  # the checkpoint has all of them
        shutil.rmtree(path)
    start.unlink()
    lines = "kal Alarm, laga do\n\nmausam\n" + "kal " * 50 + "\n"
    (tmp_path / "in.txt").write_text(lines)
    capsys.readouterr()
    assert cli.main(["inspect", str(average), "--text", str(tmp_path / "in.txt")]) == 0
    output = capsys.readouterr().out
    rows = {"pieces": 80, "full": 3, "hybrid": 80}[mode]
    assert f"input {mode}; parameters: table {rows * 32:,}, " in output
    assert ("word composer" in output) == (mode != "pieces")
    assert re.search(
        r"tokens a sentence of \S+in.txt: 18.67 as pieces, 18.33 as words \(98.2%", output
    )
    assert cli.main(["explain", str(average), "--text", "kal", "--json"]) == 1
    assert "is not shown for --encoder-type pretrained" in capsys.readouterr().err
    result = bytefusion("predict", average, stdin=lines.encode())
    labels = [line.split() for line in result.stdout.decode().split("\n")[:-1]]
    expected = [4, 0, 1, 50] if kind == "tagging" else [1, 0, 1, 1]
    assert list(map(len, labels)) == expected
    kinds = "pieces" if mode == "pieces" else "words"
    assert f"more than 22 {kinds}" in result.stderr.decode()


MISTAKES = {
    "no file": (mask, ("-s", "yy"), "no such file: .*valid.yy: a sentence a line"),
    "no data": (mask, ("--mask-prob", "0"), r"--mask-prob 0\.0 must be above 0"),
    "no language": (mask, ("-s", ""), "say with -s LANG which of DATA/train.LANG, valid"),
    "no directory": (mask, ("--pretrained", ""), "masked_pieces needs --pretrained DIR, a"),
    "criterion": (
        mask,
        ("--criterion", "masked_characters"),
        "--task masked_pieces learns with --criterion masked_pieces: give that",
    ),
    "arch": (
        mask,
        ("--arch", "embedding_approximation"),
        r"masked_pieces trains --arch char2subword_mlm .*now embedding_approximation\)",
    ),
    "head": (mask, ("--new-head",), "has a head, which --new-head would replace"),
    "shape": (
        mask,
        ("--char2subword-from", "STAGE", "--char-embed-dim", "8"),
        r"has other sizes: give --char-embed-dim 16 \(now 8\)",
    ),
    "width": (
        mask,
        ("--char2subword-from", "OTHER", "--char-embed-dim", "16"),
        "composes words of 16 numbers, and the table that it is .* has rows of 32",
    ),
    "task": (
        mask,
        ("--char2subword-from", "TAGGER"),
        "holds no word composer, but a model of --arch byte_tagger_tiny: give a",
    ),
    "pickle": (mask, ("--pretrained", "PICKLE"), "a pickle, which can run any code"),
    "nothing": (mask, ("--pretrained", "gone"), "--pretrained gone: no such directory"),
    "no words": (mask, ("DATA",), "valid.xx holds no word: there is nothing to learn"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_clear_line(
    small_bert, text, stages, word_table, label_data, tmp_path, name
):
    train_it, flags, message = MISTAKES[name]
    places = {"STAGE": lambda: stages[0]}
    places["OTHER"] = lambda: narrow_checkpoint(stages[0], tmp_path)
    places["TAGGER"] = lambda: tagger(label_data, tmp_path)
    places["PICKLE"] = lambda: pickled(small_bert, tmp_path)
    data = text
    if flags == ("DATA",):
        data, flags = wordless(tmp_path), ()
    flags = [places[f]() if f in places else f for f in flags]
    result = train_it(data, small_bert, tmp_path / "save", *flags, check=False)
    assert result.returncode
    last = printed(result).strip().split("\n")[-1]
    assert re.search(message, last), last


def narrow_checkpoint(stage, folder):
    state = torch.load(stage, map_location="cpu")
    for name in ("projection.weight", "projection.bias", "layer_norm.weight"):
        state["model"][f"composer.{name}"] = state["model"][f"composer.{name}"][:16]
    torch.save(state, folder / "narrow.pt")
    return folder / "narrow.pt"


def tagger(data, folder):
    train_labels("tagging", data, folder, "--max-update", "1", "--disable-validation")
    return folder / LAST


def pickled(bert, folder):
    found = shutil.copytree(bert, folder / "pickled")
    (found / "model.safetensors").rename(found / "pytorch_model.bin")
    return found


def wordless(folder):
    for split in ("train", "valid"):
        (folder / f"{split}.xx").write_text(" \n\n")
    return folder


def test_a_bert_is_not_written_over_what_is_there(tmp_path, small_bert):
    (tmp_path / "text").write_text("kal do\n")
    (tmp_path / "blank").write_text(" \n")
    step = "scripts/experiments/steps/train_bert.py"
    for source, out, message in (
        ("text", small_bert, "is there already: give another"),
        ("blank", tmp_path / "bert", "there is no text to learn from"),
    ):
        result = script(step, tmp_path / source, "--out", out, check=False)
        assert result.returncode
        assert message in printed(result)
        assert not list(tmp_path.glob(".bert*"))
