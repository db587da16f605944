"""A composer within a frozen model of Hugging Face."""

from argparse import Namespace

import pytest
import torch

transformers = pytest.importorskip("transformers")

from fairseq.models import ARCH_CONFIG_REGISTRY  # noqa: E402

from fairseq_bytefusion.data.hugging_face import (  # noqa: E402
    read_masked_lm,
    read_parts,
)
from fairseq_bytefusion.models.char2subword_mlm import Char2SubwordMLMModel  # noqa: E402
from fairseq_bytefusion.modules.pretrained import PretrainedParts  # noqa: E402

from ..helpers import DictionaryTask  # noqa: E402

SIZES = {"char_embed_dim": 16, "char2subword_layers": 1, "char2subword_heads": 4}


@pytest.fixture(scope="module")
def build(small_bert):
    task = DictionaryTask()
    task.pretrained = PretrainedParts(**read_parts(str(small_bert)))

    def build(new_head=False, **options):
        torch.manual_seed(1)
        cfg = Namespace(
            **{**SIZES, "dropout": 0.1, "attention_dropout": 0.1, "max_word_chars": 50},
            **options,
            new_head=new_head,
        )
        model = Char2SubwordMLMModel.build_model(cfg, task)
        model.load_masked_lm(read_masked_lm(str(small_bert)))
        return model

    return build


def batch(model):
    """Two sentences of three and one composed pieces, the second one padded."""
    pieces = torch.tensor([[2, 7, 8, 7, 3], [2, 9, 3, 0, 0]])
    chosen = torch.tensor([[0, 1, 0, 1, 0], [0, 1, 0, 0, 0]]).bool()
    return {
        "symbols": torch.tensor([[101, 102, 103], [104, 1, 1], [105, 106, 1]]),
        "lengths": torch.tensor([3, 1, 2]),
        "begins": torch.tensor([True, False, True]),
        "index": torch.tensor([[3, 0, 1, 2, 3], [3, 1, 3, 3, 3]]),
        "pieces": pieces,
        "chosen": chosen,
    }


@torch.no_grad()
def test_logits_are_hugging_faces_one_sentence_at_a_time(small_bert, build):
    model = build().eval()
    theirs = transformers.BertForMaskedLM.from_pretrained(small_bert).eval()
    table, inputs = theirs.get_input_embeddings().weight, batch(model)
    expected = []
    for b, length in ((0, 5), (1, 3)):
        vectors = table[inputs["pieces"][b, :length]].clone()
        for place in range(length):
            row = int(inputs["index"][b, place])
            if row < 3:
                n = int(inputs["lengths"][row])
                vectors[place] = model.composer.compose(
                    inputs["symbols"][row : row + 1, :n],
                    inputs["lengths"][row : row + 1],
                    inputs["begins"][row : row + 1],
                )[0]
        logits = theirs(inputs_embeds=vectors.unsqueeze(0)).logits[0]
        expected.append(logits[inputs["chosen"][b, :length]])
    found = model(**inputs)
    assert found.shape == (3, len(table))
    assert torch.allclose(found, torch.cat(expected), atol=1e-5)


@torch.no_grad()
def test_a_head_that_cannot_be_called_alone_gives_the_same(build, monkeypatch):
    model = build().eval()
    expected = model(**batch(model))
    monkeypatch.setattr("fairseq_bytefusion.models.char2subword_mlm._HEADS", ())
    assert torch.allclose(model(**batch(model)), expected, atol=1e-6)


def test_the_composer_learns_and_nothing_above_it(build):
    model = build().train()
    assert model.composer.training
    assert not any(module.training for module in model.masked_lm.modules())
    learning = {n for n, p in model.named_parameters() if p.requires_grad}
    assert learning == {f"composer.{n}" for n, _ in model.composer.named_parameters()}
    model(**batch(model)).logsumexp(1).sum().backward()
    assert all(p.grad is not None for p in model.composer.parameters())


def test_pieces_are_learned(build):
    model = build().train()
    inputs, target = batch(model), torch.tensor([7, 7, 9])
    optimizer = torch.optim.Adam(model.composer.parameters(), 0.01)
    losses = []
    for _ in range(60):
        loss = torch.nn.functional.cross_entropy(model(**inputs), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0] - 0.4


def test_a_new_head_learns_and_its_table_does_not(build):
    model = build(new_head=True).train()
    learning = {n for n, p in model.named_parameters() if p.requires_grad}
    above = {n for n in learning if not n.startswith("composer.")}
    transform = "masked_lm.cls.predictions.transform."
    assert above == {
        "masked_lm.cls.predictions.bias",
        *(f"{transform}dense.{n}" for n in ("weight", "bias")),
        *(f"{transform}LayerNorm.{n}" for n in ("weight", "bias")),
    }
    model(**batch(model)).logsumexp(1).sum().backward()
    for name, parameter in model.named_parameters():
        assert (parameter.grad is not None) == (name in learning), name


def test_the_composer_starts_at_the_scale_of_the_table(build):
    model = build()
    assert torch.equal(model.composer.layer_norm.weight, model.table.weight.std(0))
    assert torch.equal(model.composer.layer_norm.bias, model.table.weight.mean(0))


def test_the_papers_preset_loses_to_flags():
    args = Namespace(char2subword_heads=6)
    ARCH_CONFIG_REGISTRY["char2subword_mlm_paper"](args)
    expected = {"char2subword_layers": 6, "char_embed_dim": 768, "char2subword_heads": 6}
    assert vars(args) == expected
