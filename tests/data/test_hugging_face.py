"""Hugging Face directories that cannot be taken, and what is read of the others."""

import json
import shutil

import pytest
import torch

transformers = pytest.importorskip("transformers")

from fairseq_bytefusion.data.hugging_face import (  # noqa: E402
    read_layers,
    read_masked_lm,
    read_parts,
)
from fairseq_bytefusion.modules.pretrained import PretrainedParts  # noqa: E402


@pytest.fixture
def bert(small_bert, tmp_path):
    return shutil.copytree(small_bert, tmp_path / "bert")


def without_head(folder):
    model = transformers.AutoModel.from_pretrained(folder)  # with a pooler, a random one
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder)
    return folder


def test_parts_name_no_folder_and_build_the_same_shapes(bert):
    parts = PretrainedParts(**read_parts(str(bert)))
    assert str(bert) not in json.dumps(parts.state())
    assert PretrainedParts(**parts.state()) == parts
    assert parts.sizes() == {
        "encoder_embed_dim": 32,
        "encoder_layers": 2,
        "encoder_attention_heads": 2,
    }
    layers, weights = parts.layers(), read_layers(str(bert))
    assert layers.state_dict().keys() <= weights.keys()
    assert not any("pooler" in name for name in layers.state_dict())
    layers.load_state_dict({n: weights[n] for n in layers.state_dict()})
    masked_lm = parts.masked_lm()
    masked_lm.load_state_dict(read_masked_lm(str(bert)))
    table = masked_lm.get_input_embeddings().weight
    assert torch.equal(table, layers.get_input_embeddings().weight)
    assert masked_lm.get_output_embeddings().weight is table


def test_a_new_head_stands_on_the_table(bert):
    weights = read_masked_lm(str(without_head(bert)), new_head=True)
    decoder = weights["cls.predictions.decoder.weight"]
    assert torch.equal(decoder, weights["bert.embeddings.word_embeddings.weight"])


def no_directory(folder):
    return folder / "gone"


def pickle_only(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    return folder


def no_weights(folder):
    (folder / "model.safetensors").unlink()
    return folder


def no_config(folder):
    (folder / "config.json").write_text("{")
    return folder


def no_tokenizer(folder):
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    return folder


def no_ends(folder):
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text())
    for name in ("cls_token", "sep_token"):
        config.pop(name)
    path.write_text(json.dumps(config))
    return folder


def bytes_for_characters(folder):
    path = folder / "tokenizer.json"
    tokenizer = json.loads(path.read_text())
    vocab = tokenizer["model"]["vocab"]
    tokenizer["model"]["vocab"] = {
        name if name.startswith("[") else f"Ġ{name.strip('#')}{row}": row
        for name, row in vocab.items()
    }
    path.write_text(json.dumps(tokenizer))
    return folder


def lacks_a_layer(folder):
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    weights = load_file(path)
    weights.pop("bert.encoder.layer.1.output.dense.bias")
    save_file(weights, path, {"format": "pt"})
    return folder


@pytest.mark.parametrize(
    ("spoil", "read", "error", "message"),
    [
        (no_directory, read_parts, OSError, "gone: no such directory; it must hold conf"),
        (
            pickle_only,
            read_parts,
            ValueError,
            "has its weights in pytorch_model.bin, a pickle, which can run any code",
        ),
        (pickle_only, read_layers, ValueError, "a pickle, which can run any code"),
        (no_weights, read_parts, ValueError, "bert has no model.safetensors"),
        (no_config, read_parts, ValueError, "bert is not a model of Hugging Face"),
        (no_tokenizer, read_parts, ValueError, "bert has no tokenizer: put tokenizer.json"),
        (no_ends, read_parts, ValueError, "no encoder like BERT: its tokenizer has no cls"),
        (
            bytes_for_characters,
            read_parts,
            ValueError,
            "cannot be read word by word: .* byte-level BPE",
        ),
        (lacks_a_layer, read_layers, ValueError, "lacks 1 weights of its model, such as"),
        (lacks_a_layer, read_masked_lm, ValueError, "lacks 1 weights of its model"),
        (
            without_head,
            read_masked_lm,
            ValueError,
            r"no head for masked language modelling \(cls.predictions.*\): give --new-head",
        ),
    ],
)
def test_what_cannot_be_taken_is_told(bert, spoil, read, error, message):
    with pytest.raises(error, match=message):
        read(str(spoil(bert)))


def test_a_head_is_not_replaced(bert):
    with pytest.raises(ValueError, match="has a head, which --new-head would replace"):
        read_masked_lm(str(bert), new_head=True)
