"""Models of Hugging Face that are not quite like BERT."""

from argparse import Namespace

import pytest
import torch

transformers = pytest.importorskip("transformers")

from fairseq_bytefusion.data.hugging_face import (  # noqa: E402
    read_layers,
    read_masked_lm,
    read_parts,
)
from fairseq_bytefusion.models.char2subword_mlm import Char2SubwordMLMModel  # noqa: E402
from fairseq_bytefusion.modules.pretrained import PretrainedParts  # noqa: E402
from fairseq_bytefusion.modules.pretrained.parts import num_positions  # noqa: E402

from ..helpers import DictionaryTask, pad_batch  # noqa: E402
from .labelling import LabelTask, label_model  # noqa: E402

_SHAPE = {
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 24,
}
#: type of the model -> its configuration; positions of a sentence, width of its table
FAMILIES = {
    "distilbert": (
        {
            **{"dim": 32, "n_layers": 1, "n_heads": 2, "hidden_dim": 32},
            "max_position_embeddings": 24,
        },
        *(24, 32),
    ),
    "albert": ({**_SHAPE, "embedding_size": 16}, 24, 16),
    "electra": ({**_SHAPE, "embedding_size": 16}, 24, 16),
    "xlm-roberta": (_SHAPE, 23, 32),  # begins behind the row of padding, which is 0 here
}
CHAR2SUBWORD = {"char_embed_dim": 16, "char2subword_layers": 1, "char2subword_heads": 4}


@pytest.fixture(scope="module", params=FAMILIES)
def family(request, small_bert, tmp_path_factory):
    """A directory of a model with random weights, and what is true of it."""
    values, *facts = FAMILIES[request.param]
    tokenizer = transformers.AutoTokenizer.from_pretrained(small_bert)
    config = transformers.CONFIG_MAPPING[request.param](
        **values, vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id
    )
    torch.manual_seed(1)
    folder = tmp_path_factory.mktemp("family")
    transformers.AutoModelForMaskedLM.from_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder, facts


@pytest.mark.parametrize("mode", ["pieces", "full"])
@torch.no_grad()
def test_states_are_theirs(family, mode):
    folder, (positions, width) = family
    task = LabelTask()
    task.pretrained = PretrainedParts(**read_parts(str(folder)))
    options = {} if mode == "pieces" else {"encoder_embedder": "char2subword"}
    options.update({} if mode == "pieces" else CHAR2SUBWORD)
    model = label_model(
        task=task, encoder_type="pretrained", pretrained="DIR", pretrained_input=mode,
        **options,
    )  # fmt: skip
    model.encoder.load_layers(read_layers(str(folder)))
    assert num_positions(model.encoder.layers) == positions
    assert model.encoder.embed_tokens.embedding_dim == width
    # As many words as there is room for, and a shorter sentence beside them.
    sentences = [" ".join(["kal"] * (positions - 2)), "alarm do"]
    states = model(pad_batch(sentences))["states"]
    assert states.shape == (2, positions - 1, 32)
    if mode == "pieces":
        theirs = transformers.AutoModel.from_pretrained(folder).eval()
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        for sentence, own in zip(sentences, states):
            encoded = tokenizer(sentence, return_tensors="pt")
            encoded.pop("token_type_ids", None)
            expected = theirs(**encoded).last_hidden_state[0, 1:]
            assert (own[: len(expected)] - expected).abs().max() <= 1e-5


def test_a_composer_learns_within_them(family):
    folder, (_, width) = family
    task = DictionaryTask()
    task.pretrained = PretrainedParts(**read_parts(str(folder)))
    cfg = Namespace(
        **CHAR2SUBWORD,
        dropout=0.0,
        attention_dropout=0.0,
        max_word_chars=50,
        new_head=False,
    )
    model = Char2SubwordMLMModel.build_model(cfg, task)
    model.load_masked_lm(read_masked_lm(str(folder)))
    assert model.composer.embedding_dim == width
    logits = model(
        torch.tensor([[101, 102], [103, 1]]),
        torch.tensor([2, 1]),
        torch.tensor([True, False]),
        index=torch.tensor([[2, 0, 1, 2]]),
        pieces=torch.tensor([[2, 7, 8, 3]]),
        chosen=torch.tensor([[False, True, True, False]]),
    )
    assert logits.shape == (2, len(model.table.weight))
    logits.logsumexp(1).sum().backward()
    assert all(p.grad is not None for p in model.composer.parameters())
