from argparse import Namespace

import pytest
import torch

from fairseq_bytefusion.checkpoints.reading import Checkpoint, open_checkpoint
from fairseq_bytefusion.text.word_list import pack_words

from .test_inspection import save

TASK = {"_name": "byte_translation", "data": "DIR", "source_unit": "char"}
STATE = {"cfg": {"task": TASK, "model": {"_name": "byte_transformer_tiny"}}, "model": {}}


def test_what_a_file_holds(tmp_path):
    path = str(tmp_path / "a.pt")
    save(path, updates=9, encoder_ffn_embed_dim=48)
    checkpoint = open_checkpoint(path)
    assert (checkpoint.path, checkpoint.arch) == (path, "byte_transformer_tiny")
    assert checkpoint.num_updates == 9
    assert checkpoint.model_options["encoder_ffn_embed_dim"] == 48
    assert checkpoint.task_options["target_lang"] == "en"
    assert checkpoint.parameters["encoder.layers.0.fc1.weight"].shape == (48, 32)


def test_options_can_be_overridden(tmp_path):
    save(tmp_path / "a.pt")
    checkpoint = open_checkpoint(str(tmp_path / "a.pt"), {"source_lang": "yy"})
    assert checkpoint.task_options["source_lang"] == "yy"


@pytest.mark.parametrize("task", [TASK, Namespace(**TASK)])
def test_options_of_any_kind(task):
    checkpoint = Checkpoint("a.pt", {"cfg": {"task": task}})
    assert checkpoint.task == "byte_translation"
    assert checkpoint.task_options.get("source_unit", "byte") == "char"
    assert checkpoint.task_options.get("target_unit", "byte") == "byte"


def test_what_a_checkpoint_does_not_say():
    checkpoint = Checkpoint("a.pt", {"cfg": {}, "model": {}})
    assert (checkpoint.task, checkpoint.task_state, checkpoint.num_updates) == (None, {}, 0)
    assert checkpoint.source_words is None


def test_the_words_of_a_mixture():
    words = [b"kal", "दुनिया".encode(), b"caf\xe9"]
    state = {**STATE, "task_state": {"source_words": pack_words(words)}}
    assert Checkpoint("a.pt", state).source_words == words


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (
            lambda c: c.require_arch("embedding_approximation"),
            "^a.pt holds a byte_transformer_tiny, not an embedding_approximation$",
        ),
        (
            lambda c: c.require_arch("transformer", flag="--from"),
            "^--from a.pt holds a byte_transformer_tiny, not a transformer$",
        ),
        (
            lambda c: c.require_task("tagging", "tags words"),
            "^a.pt is of the task byte_translation: only a model of the task tagging tags",
        ),
    ],
)
def test_another_kind_is_refused_in_a_sentence(check, message):
    with pytest.raises(ValueError, match=message):
        check(Checkpoint("a.pt", STATE))


def test_the_right_kind_is_not_refused():
    checkpoint = Checkpoint("a.pt", STATE)
    checkpoint.require_arch("byte_transformer")
    checkpoint.require_task("byte_translation", "translates")


@pytest.mark.parametrize("missing", ["cfg", "model"])
def test_half_a_checkpoint_is_refused(tmp_path, missing):
    save(tmp_path / "a.pt")
    state = torch.load(tmp_path / "a.pt")
    del state[missing]
    torch.save(state, tmp_path / "a.pt")
    with pytest.raises(RuntimeError, match="a.pt cannot be read as a fairseq checkpoint"):
        open_checkpoint(str(tmp_path / "a.pt"))
