"""Tagging and classification on a pre-trained encoder, by fairseq's own commands."""

import re
import shutil
import sys

import pytest
import torch

pytest.importorskip("transformers")

from fairseq_bytefusion.data.hugging_face import read_masked_lm  # noqa: E402

from .pretrained import LAST, part_of, printed, tag  # noqa: E402

pytestmark = pytest.mark.long


def test_a_composer_that_knows_nothing_starts_at_the_scale_of_the_table(
    small_bert, label_data, tmp_path
):
    still = ("--lr", "0", "--max-update", "1", "--disable-validation")
    tag("tagging", "full", label_data, small_bert, tmp_path, *still)
    found = part_of(tmp_path / LAST, "encoder.embed_tokens.composer.layer_norm.")
    weights = read_masked_lm(str(small_bert))
    table = weights["bert.embeddings.word_embeddings.weight"]
    assert torch.allclose(found["weight"], table.std(0))
    assert torch.allclose(found["bias"], table.mean(0))


def test_long_sentences_lose_words_and_their_labels(small_bert, tmp_path, label_data):
    data = shutil.copytree(label_data, tmp_path / "data")
    with open(data / "train.conll", "a") as file:
        file.write("\n" + "kal,\tO\n" * 30)
    flags = ("--max-update", "2", "--disable-validation", "--batch-size", "8")
    output = printed(tag("tagging", "pieces", data, small_bert, tmp_path, *flags))
    assert "1 of 61 sentences have more than 22 pieces and are cut behind a word" in output
    assert "19 words of sentences that are cut, and their labels, are left out" in output


def test_training_does_not_go_on_with_another_directory(small_bert, label_data, tmp_path):
    flags = ("--max-update", "1", "--disable-validation")
    tag("tagging", "pieces", label_data, small_bert, tmp_path, *flags)
    bert = shutil.copytree(small_bert, tmp_path / "bert")
    path = bert / "tokenizer.json"
    path.write_text(path.read_text().replace('"lowercase": true', '"lowercase": false'))
    result = tag("tagging", "pieces", label_data, bert, tmp_path, *flags, check=False)
    assert result.returncode
    assert "another configuration or tokenizer than the directory" in printed(result)


def test_an_encoder_goes_on_in_another_task(small_bert, label_data, tmp_path):
    flags = ("--max-update", "3", "--disable-validation")
    tag("tagging", "hybrid", label_data, small_bert, tmp_path / "a", *flags)
    start = ("--encoder-from", tmp_path / "a" / LAST, "--freeze-encoder")
    tag("classification", "hybrid", label_data, small_bert, tmp_path / "b", *flags, *start)
    found, expected = (part_of(tmp_path / name / LAST, "encoder.") for name in "ba")
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], value) for name, value in expected.items())


def test_an_extra_that_is_missing_is_named(small_bert, label_data, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    result = tag("tagging", "pieces", label_data, small_bert, tmp_path, check=False)
    assert result.returncode
    last = printed(result).strip().split("\n")[-1]
    assert re.search(r"needs the package transformers .*\[huggingface\]'$", last), last
