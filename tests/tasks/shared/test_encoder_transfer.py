"""``--encoder-from`` and ``--freeze-encoder``."""

import copy
import logging
import shutil

import pytest
import torch

from fairseq_bytefusion.models.byte_transformer import ByteTransformerModel

from ...generation.labellers import NAMES, labeller
from ...helpers import (
    model_args,
    pad_batch,
)
from ...models.systems import SYSTEMS
from ..running import make_task

pytestmark = pytest.mark.long


def build(data, seed, task=None, **options):
    """A new model, its task and its options."""
    task = task or make_task(data)
    torch.manual_seed(seed)
    args = model_args(**options)
    args._name = "byte_transformer_tiny"
    return task.build_model(args), task, args


def save(path, model, task, args):
    """A checkpoint as fairseq writes it."""
    state = {"args": None, "model": model.state_dict(), "task_state": task.state_dict()}
    cfg = {"model": vars(args), "task": {"_name": "byte_translation"}}
    extra = {"train_iterator": {"epoch": 1}, "epoch": 1}
    history = [{"num_updates": 1, "criterion_name": "x", "best_loss": 1.0}]
    torch.save(
        {**state, "cfg": cfg, "extra_state": extra, "optimizer_history": history}, path
    )


def start(data, path, task=None, **options):
    """A new model that starts from a checkpoint."""
    model, task, args = build(data, 2, task, encoder_from=str(path), **options)
    task.start_training(model, args)
    return model


def encoder_state(model):
    return model.encoder.state_dict()


def assert_same(state, expected):
    assert state.keys() == expected.keys()
    for name, value in expected.items():
        assert torch.equal(state[name], value), name


# elmo needs a language model, a file of its own: tests/test_language_model_end_to_end.py.
@pytest.mark.parametrize("system", [name for name in SYSTEMS if name != "elmo"])
def test_the_encoder_is_the_other_models(toy_data, tmp_path, system):
    options = SYSTEMS[system]
    old, *rest = build(toy_data, 1, **options)
    save(tmp_path / "old.pt", old, *rest)
    new = start(toy_data, tmp_path / "old.pt", decoder_layers=1, **options)
    assert_same(encoder_state(new), encoder_state(old))
    batch = pad_batch(["kal subah", "x"])
    states = [model.eval().encoder(batch)["encoder_out"][0] for model in (old, new)]
    assert torch.equal(*states)
    other = build(toy_data, 2, **options)[0]
    for name, value in new.decoder.state_dict().items():  # as new as without the flag
        assert value.shape == other.decoder.state_dict()[name].shape
    assert any(
        not torch.equal(value, encoder_state(old)[name])
        for name, value in encoder_state(other).items()
    )


def test_what_is_not_taken_is_told(toy_data, tmp_path, caplog):
    old, *rest = build(toy_data, 1)
    save(tmp_path / "old.pt", old, *rest)
    with caplog.at_level(logging.INFO):
        start(toy_data, tmp_path / "old.pt")
    count = len(encoder_state(old))
    told = f"encoder: its {count} tensors are those of {tmp_path / 'old.pt'}, of which are "
    told += f"not taken: decoder ({len(old.decoder.state_dict())})"
    assert told in caplog.text


KINDS = ("translation", "tagging", "classification")
TABLES = {"encoder_embedder": "mixture", "mixture_composer": "char-rnn"}


def any_model(kind, data, labelled, seed, **options):
    """A new model of a task, its task and its options."""
    if kind == "translation":
        return build(data, seed, **options)
    model = labeller(kind, labelled, seed, **options)
    args = model.model.options
    args._name = NAMES[kind]
    return model.model, model.task, args


@pytest.mark.parametrize(
    ("first", "second"), [(a, b) for a in KINDS for b in KINDS if a != b]
)
def test_encoders_of_other_tasks(toy_data, label_data, tmp_path, first, second, caplog):
    data = with_words(toy_data, tmp_path / "data")
    shutil.copy(label_data / "dict.word.txt", data / "dict.word.xx.txt")
    old, *rest = any_model(first, data, label_data, 1, **TABLES)
    save(tmp_path / "old.pt", old, *rest)
    with caplog.at_level(logging.INFO):
        new, task, args = any_model(
            second, data, label_data, 2, encoder_from=str(tmp_path / "old.pt"), **TABLES
        )
        task.start_training(new, args)
    assert_same(encoder_state(new), encoder_state(old))
    part = "decoder" if first == "translation" else "head"
    assert f"of which are not taken: {part} (" in caplog.text


def test_an_encoder_of_another_type_is_named(label_data, tmp_path):
    kind = {"kind": "tagging", "data": None, "labelled": label_data}
    old, *rest = any_model(**kind, seed=1, encoder_type="lstm")
    save(tmp_path / "old.pt", old, *rest)
    path = str(tmp_path / "old.pt")
    new, task, args = any_model(**kind, seed=2, encoder_from=path)
    with pytest.raises(ValueError, match=r"give --encoder-type lstm \(now transformer\)"):
        task.start_training(new, args)
    options = {"encoder_from": path, "encoder_type": "lstm", "freeze_encoder": True}
    new, task, args = any_model(**kind, seed=2, **options, word_pooling="last")
    task.start_training(new, args)
    assert_same(encoder_state(new), encoder_state(old))
    assert not new.train().encoder.training and new.training


OPTIONS = {
    "sizes": (
        {
            "encoder_layers": 3,
            "encoder_ffn_embed_dim": 32,
            "encoder_normalize_before": True,
        },
        "old.pt has another encoder: give --encoder-ffn-embed-dim 64, give "
        r"--encoder-layers 2, drop --encoder-normalize-before \(now 32, 3, True\)",
    ),
    "no size, another meaning": (
        {"encoder_attention_heads": 4, "activation_fn": "gelu"},
        "give --activation-fn relu, give --encoder-attention-heads 2",
    ),
    "another embedder": (
        {"encoder_embedder": "char-rnn", "char_rnn_hidden_dim": 8},
        r"another encoder: give --encoder-embedder dense \(now char-rnn\)",
    ),
    "positions": ({"encoder_learned_pos": True}, "drop --encoder-learned-pos"),
    "random": (
        {"encoder_from": None, "freeze_encoder": True},
        "--freeze-encoder would keep random weights: give --encoder-from as well",
    ),
    "two starts": (
        {"char2subword_from": "x", "encoder_embedder": "char2subword"},
        "--encoder-from brings a word composer along, which --char2subword-from would",
    ),
    "shared": (
        {"freeze_encoder": True, "share_all_embeddings": True},
        "drop --share-all-embeddings or that flag",
    ),
    "no such file": ({"encoder_from": "gone.pt"}, "--encoder-from gone.pt: no such file$"),
}


@pytest.mark.parametrize(("options", "message"), OPTIONS.values(), ids=OPTIONS)
def test_what_does_not_fit_is_named(toy_data, tmp_path, options, message):
    save(tmp_path / "old.pt", *build(toy_data, 1))
    options = {"encoder_from": str(tmp_path / "old.pt"), **options}
    with pytest.raises((OSError, ValueError), match=message):
        model, task, args = build(toy_data, 2, **options)
        task.start_training(model, args)


def test_options_that_change_no_weight_may_differ(toy_data, tmp_path):
    save(tmp_path / "old.pt", *build(toy_data, 1, dropout=0.3))
    start(toy_data, tmp_path / "old.pt", dropout=0.1, max_source_positions=99)


def test_another_model_is_named(toy_data, tmp_path, approximation):
    message = "holds no encoder of raw text, but a model of --arch embedding_approximation "
    with pytest.raises(ValueError, match=message + "and --task embedding_approximation"):
        start(toy_data, approximation)


def test_a_parameter_too_many_is_named(toy_data, tmp_path):
    model, *rest = build(toy_data, 1)
    model.encoder.extra = torch.nn.Linear(2, 3)
    save(tmp_path / "old.pt", model, *rest)
    message = r"encoder.extra.bias is \(3,\) there, absent here"
    with pytest.raises(ValueError, match=message):
        start(toy_data, tmp_path / "old.pt")


def test_numbers_that_are_none_are_refused(toy_data, tmp_path):
    model, *rest = build(toy_data, 1)
    model.encoder.layers[0].fc1.weight.data[0, 0] = float("nan")
    save(tmp_path / "old.pt", model, *rest)
    with pytest.raises(ValueError, match=r"encoder\.layers\.0\.fc1\.weight"):
        start(toy_data, tmp_path / "old.pt")


@pytest.mark.parametrize(
    ("characters", "options", "message"),
    [
        ("ab", {}, "cannot be taken: it was trained with --source-unit byte, and this is"),
        (None, {"source_tag": True}, "it was trained with no tags, and this training has"),
    ],
)
def test_other_symbols_are_refused(toy_data, tmp_path, characters, options, message):
    save(tmp_path / "old.pt", *build(toy_data, 1))
    if characters:
        (tmp_path / "dict.char.xx.txt").write_text("".join(f"{c} 1\n" for c in characters))
        options = {"source_unit": "char"}
    task = make_task(tmp_path, **options)
    with pytest.raises(ValueError, match=message):
        start(toy_data, tmp_path / "old.pt", task)


MIXTURE = {
    "encoder_embedder": "mixture",
    "mixture_composer": "char-rnn",
    "char_rnn_hidden_dim": 8,
}


def with_words(data, folder, *words):
    folder.mkdir(exist_ok=True)
    for file in data.glob("*.xx-en.*"):
        shutil.copy(file, folder)
    (folder / "dict.word.xx.txt").write_text("".join(f"{word} 1\n" for word in words))
    return folder


def test_rows_of_words_that_both_know_are_taken(toy_data, tmp_path, caplog):
    data = with_words(toy_data, tmp_path / "old", "kal", "subah", "do")
    old, *rest = build(data, 1, **MIXTURE)
    save(tmp_path / "old.pt", old, *rest)
    data = with_words(toy_data, tmp_path / "new", "hai", "do", "kal")
    before = build(data, 2, **MIXTURE)[0].encoder.embed_tokens.table
    with caplog.at_level(logging.INFO):
        new = start(data, tmp_path / "old.pt", **MIXTURE)
    table = new.encoder.embed_tokens.table
    rows = old.encoder.embed_tokens.table.weight
    assert torch.equal(table.weight, torch.stack([before.weight[0], rows[2], rows[0]]))
    assert torch.equal(table.fingerprint, before.fingerprint)
    assert "word table: 2 of 3 rows from" in caplog.text
    assert "1 of its 3 words are not taken" in caplog.text
    message = "would keep random rows: .*old.pt lacks 1 of 3 known words"
    with pytest.raises(ValueError, match=message):
        start(data, tmp_path / "old.pt", freeze_encoder=True, **MIXTURE)
    with_words(toy_data, data, "do", "kal")
    start(data, tmp_path / "old.pt", freeze_encoder=True, **MIXTURE)
    with_words(toy_data, data, "others")
    other = start(data, tmp_path / "old.pt", **MIXTURE)
    assert_same(other.encoder.layers.state_dict(), old.encoder.layers.state_dict())


def test_a_frozen_encoder_neither_learns_nor_drops_out(toy_data, tmp_path):
    save(tmp_path / "old.pt", *build(toy_data, 1))
    model = start(toy_data, tmp_path / "old.pt", freeze_encoder=True, dropout=0.5)
    model.train()
    assert model.training and model.decoder.layers[0].training
    assert not any(module.training for module in model.encoder.modules())
    batch = pad_batch(["kal subah"])
    assert torch.equal(*(model.encoder(batch)["encoder_out"][0] for _ in "ab"))
    model(batch, None, batch)[0].sum().backward()
    assert all(p.grad is None for p in model.encoder.parameters())
    assert all(p.grad is not None for p in model.decoder.parameters())
    assert not copy.deepcopy(model).encoder.train().training


def test_a_model_for_inference_is_neither_started_nor_frozen(toy_data):
    task = make_task(toy_data)
    args = model_args(encoder_from="gone.pt", freeze_encoder=True)
    args._name = "byte_transformer_tiny"
    model = task.build_model(args, from_checkpoint=True)
    assert isinstance(model, ByteTransformerModel)
    assert all(p.requires_grad for p in model.parameters())
