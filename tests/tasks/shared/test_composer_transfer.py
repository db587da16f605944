import logging
import shutil

import pytest
import torch

from fairseq_bytefusion.data.tables.teacher import read_teacher
from fairseq_bytefusion.tasks.byte_translation import (
    ByteTranslationConfig,
    ByteTranslationTask,
)

from ...checkpoints.test_inspection import save
from ...helpers import fairseq, model_args, pad_batch, script, train

SIZES = {"char_embed_dim": 16, "char2subword_layers": 1, "char2subword_heads": 4}
LEARNED = {"encoder_learned_pos": True}
FLAGS = ("--char-embed-dim", "16", "--char2subword-layers", "1")


def build(data, from_checkpoint=False, source_unit="byte", source_tag=False, **options):
    cfg = ByteTranslationConfig(
        data=str(data),
        source_lang="xx",
        target_lang="en",
        source_unit=source_unit,
        source_tag=source_tag,
    )
    task = ByteTranslationTask.setup_task(cfg)
    torch.manual_seed(2)
    args = model_args(**{"encoder_embedder": "char2subword", **SIZES, **options})
    args._name = "byte_transformer"
    return task.build_model(args, from_checkpoint)


def saved(path):
    state = torch.load(path, map_location="cpu")["model"]
    return {name.replace("composer.", "", 1): value for name, value in state.items()}


def assert_same(composer, expected):
    state = composer.state_dict()
    assert state.keys() == expected.keys()
    for name, value in expected.items():
        assert torch.equal(state[name], value), name


@pytest.mark.parametrize("mixture", [None, "sum", "concat", "hybrid"])
def test_the_composer_is_the_learned_one(toy_data, approximation, mixture):
    options = {"encoder_embedder": "mixture", "mixture": mixture} if mixture else {}
    path = str(approximation)
    embedder = build(toy_data, char2subword_from=path, **options).encoder.embed_tokens
    composer = embedder.composer if mixture else embedder
    assert_same(composer, saved(approximation))
    other = build(toy_data, **options).encoder.embed_tokens
    weight = (other.composer if mixture else other).projection.weight
    assert not torch.equal(weight, composer.projection.weight)


def test_words_have_the_norm_they_were_trained_to(toy_data, approximation, word_table):
    model = build(toy_data, char2subword_from=str(approximation)).eval()
    (states,), _ = model.encoder.embed_tokens(pad_batch(["alarm laga"]))
    teacher = read_teacher(str(word_table))
    norms = states[:2].norm(dim=1) / teacher.table.norm(dim=1).mean()
    assert ((norms > 0.7) & (norms < 1.3)).all()


def test_large_positions_beside_small_words_are_told(
    toy_data, approximation, tmp_path, caplog
):
    state = torch.load(approximation, map_location="cpu")
    for share, flags, is_told in ((0.9, {}, True), (1.1, {}, False), (0.1, LEARNED, False)):
        weight = state["model"]["composer.layer_norm.weight"]
        weight.fill_(share / 4 / 2**0.5)  # norm sqrt(D) / 4 sqrt(2): a fourth of positions
        torch.save(state, tmp_path / "scaled.pt")
        caplog.clear()
        build(toy_data, char2subword_from=str(tmp_path / "scaled.pt"), **flags)
        assert ("--encoder-learned-pos begins with 1" in caplog.text) == is_told


def test_hybrid_rows_are_the_teachers_or_composed(
    toy_data, approximation, word_table, caplog
):
    with caplog.at_level(logging.INFO):
        embedder = build(
            toy_data,
            encoder_embedder="mixture",
            mixture="hybrid",
            char2subword_from=str(approximation),
        ).encoder.embed_tokens.eval()
    teacher = read_teacher(str(word_table))
    rows = {piece.text: teacher.table[i] for i, piece in enumerate(teacher.pieces)}
    words = [
        line.split()[0] for line in (toy_data / "dict.word.xx.txt").read_text().splitlines()
    ]
    learned = [word in rows for word in words]
    assert 0 < sum(learned) < len(words)
    assert (
        f"word table: {sum(learned)} of {len(words)} rows from {word_table}, the others "
        "composed" in caplog.text
    )
    (composed,), _ = embedder.composer(pad_batch([" ".join(words)]))
    for i, word in enumerate(words):
        expected = rows[word] if learned[i] else composed[i]
        assert torch.allclose(embedder.table.weight[i], expected, atol=1e-5)
    assert embedder.table.weight.requires_grad


def test_a_hybrid_needs_the_table_that_was_learned(toy_data, approximation, tmp_path):
    state = torch.load(approximation, map_location="cpu")
    state["cfg"]["task"]["data"] = "gone.npy"
    torch.save(state, tmp_path / "moved.pt")
    options = {"char2subword_from": str(tmp_path / "moved.pt")}
    build(toy_data, **options)
    with pytest.raises(OSError, match="gone.npy; --mixture hybrid takes its rows from"):
        build(toy_data, encoder_embedder="mixture", mixture="hybrid", **options)


WRONG = {
    "sizes": (
        {"encoder_embed_dim": 64, "char2subword_layers": 2, "char2subword_heads": 2},
        "--char2subword-from .* has other sizes: give --char2subword-layers 1 "
        r"--char2subword-heads 4 --encoder-embed-dim 32 \(now 2, 2, 64\)",
    ),
    "no such file": (
        {"char2subword_from": "gone.pt"},
        r"--char2subword-from gone.pt: no such file \(needed to resume as well\)",
    ),
    "tags": ({"source_tag": True}, "composes words of bytes: drop --source-unit and --sou"),
    "random": (
        {"char2subword_from": None, "freeze_composer": True},
        "--freeze-composer would keep random weights",
    ),
    "dense": (
        {"encoder_embedder": "dense", "char_embed_dim": None, "char2subword_layers": 2},
        "--char2subword-from .* does nothing with --encoder-embedder dense",
    ),
    "another composer": (
        {
            "encoder_embedder": "mixture",
            "mixture_composer": "char-rnn",
            "char2subword_layers": 2,
            "freeze_composer": True,
        },
        "does nothing with --encoder-embedder mixture --mixture-composer char-rnn",
    ),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_named(toy_data, approximation, options, message):
    options = {"char2subword_from": str(approximation), **options}
    with pytest.raises((OSError, ValueError), match=message):
        build(toy_data, **options)


def test_as_many_characters_as_bytes_are_no_bytes(tmp_path, approximation):
    lines = [f"{chr(0x4E00 + i)} 1\n" for i in range(256)]
    (tmp_path / "dict.char.xx.txt").write_text("".join(lines), "utf-8")
    with pytest.raises(ValueError, match="composes words of bytes: drop --source-unit"):
        build(tmp_path, source_unit="char", char2subword_from=str(approximation))


def test_a_checkpoint_of_another_task_is_named(toy_data, tmp_path):
    path = str(tmp_path / "other.pt")
    save(path)
    message = "other.pt holds no word composer, but a model of --arch byte_transformer_t"
    with pytest.raises(ValueError, match=message):
        build(toy_data, char2subword_from=path)


def test_a_model_from_a_checkpoint_does_not_look_for_the_approximation(toy_data):
    build(toy_data, from_checkpoint=True, char2subword_from="gone.pt")


def test_frozen_composers_stay_and_others_learn(toy_data, approximation, tmp_path):
    start = tmp_path / "start.pt"
    shutil.copy(approximation, start)
    flags = (
        *("--encoder-embedder", "mixture", "--mixture", "hybrid", *FLAGS),
        *("--char2subword-from", start, "--dropout", "0.3", "--disable-validation"),
        *("--no-epoch-checkpoints", "--max-update"),
    )
    train(toy_data, tmp_path / "learning", *flags, "2")
    train(toy_data, tmp_path / "frozen", *flags, "1", "--freeze-composer")
    train(toy_data, tmp_path / "frozen", *flags, "2", "--freeze-composer")
    names = {}
    for folder in ("learning", "frozen"):
        path = tmp_path / folder / "checkpoint_last.pt"
        state = torch.load(path, map_location="cpu")["model"]
        names[folder] = {
            name
            for name, value in saved(approximation).items()
            if value.dim()
            and not torch.equal(state[f"encoder.embed_tokens.composer.{name}"], value)
        }
    assert names["frozen"] == set()
    assert len(names["learning"]) > 10

    start.unlink()
    result = fairseq(
        "generate", toy_data, "--task", "byte_translation", "-s", "xx", "-t", "en",
        "--path", path, "--max-len-b", "3", "--max-len-a", "0",
    )  # fmt: skip
    assert result.stdout.count(b"\nD-") == 8


def test_a_frozen_composer_drops_nothing_out(toy_data, approximation):
    path = str(approximation)
    model = build(toy_data, char2subword_from=path, freeze_composer=True, dropout=0.5)
    composer = model.train().encoder.embed_tokens
    batch = pad_batch(["some words"])
    assert torch.equal(composer(batch)[0], composer(batch)[0])
    assert not any(p.requires_grad for p in composer.parameters())
    assert model.encoder.layers[0].training


def test_the_word_list_of_a_table(toy_data, word_table, tmp_path):
    for name in ("train.xx-en.xx", "train.xx-en.en"):
        shutil.copy(toy_data / name, tmp_path)
    flags = ("-s", "xx", "-t", "en", "--words-of", word_table, "--min-count", "0")
    result = script("data_prep/build_word_dict.py", tmp_path, *flags)
    lines = (tmp_path / "dict.word.xx.txt").read_text("utf-8").splitlines()
    assert "9 of 9 words" in result.stdout.decode()
    counts = dict(line.rsplit(" ", 1) for line in lines)
    assert int(counts["kal"]) > 0
    assert counts["दुनिया"] == "0"
    assert "ing" not in counts
    assert "traffic" not in counts
