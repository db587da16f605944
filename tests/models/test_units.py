"""Models over other symbols than bytes."""

import pytest
import torch

from fairseq_bytefusion.models.byte_transformer import ByteTransformerModel
from fairseq_bytefusion.text import ByteDictionary, CharDictionary, SentencePieceDictionary
from fairseq_bytefusion.text.words import block_starts, symbol_tables

from ..helpers import DictionaryTask, model_args
from ..text.test_units import subword_model

TEXT = "kal subah  7\tबजे alarm\r"
CHARS = CharDictionary(sorted(set(TEXT + "xyz")))
SUBWORDS = SentencePieceDictionary(subword_model([TEXT], 30))

COMPOSER = {"char_embed_dim": 16, "char2subword_heads": 2}
SYSTEMS = {
    "dense": {},
    "one-hot": {"encoder_embedder": "one-hot", "encoder_embed_dim": 64},
    "ncf": {"encoder_fusion": "ncf"},
    "wsf": {"encoder_fusion": "wsf"},
    "char2subword": {"encoder_embedder": "char2subword", **COMPOSER},
    "char-cnn": {"encoder_embedder": "char-cnn", "char_cnn_filters": "1:8,3:8"},
    "char-rnn": {"encoder_embedder": "char-rnn"},
    "hit": {"encoder_embedder": "hit"},
    "words": {"encoder_embedder": "words"},
    "mixture": {"encoder_embedder": "mixture", "mixture": "hybrid", **COMPOSER},
}
CUTS_WORDS = ["wsf", "char2subword", "char-cnn", "char-rnn", "hit", "words", "mixture"]


class Task(DictionaryTask):
    def source_words(self):
        return [b"kal", b"alarm", "बजे".encode()]


def build(source, **options):
    torch.manual_seed(1)
    return ByteTransformerModel.build_model(model_args(**options), Task(source)).eval()


@pytest.mark.parametrize(
    ("name", "dictionary"),
    [
        *((name, CHARS) for name in SYSTEMS),
        *((name, SUBWORDS) for name in SYSTEMS if name not in CUTS_WORDS),
    ],
)
@torch.no_grad()
def test_a_sentence_is_encoded_alike_in_any_batch(name, dictionary):
    model = build(dictionary, **SYSTEMS[name])
    rows = [dictionary.encode_line(t).long() for t in (TEXT, "kal xyz", "")]
    batch = torch.nn.utils.rnn.pad_sequence(rows, True, dictionary.pad())
    together = model.encoder(batch)
    for i, row in enumerate(rows):
        alone = model.encoder(row[None])["encoder_out"][0][:, 0]
        padded = together["encoder_out"][0][: len(alone), i]
        assert (alone - padded).abs().max() <= 1e-5


@pytest.mark.parametrize("name", CUTS_WORDS)
def test_subwords_cannot_be_cut_into_words(name):
    with pytest.raises(ValueError) as error:
        build(SUBWORDS, **SYSTEMS[name])
    flag = "--encoder-fusion wsf" if name == "wsf" else f"--encoder-embedder {name}"
    assert str(error.value).startswith(flag)
    assert "choose another source unit, or drop that flag" in str(error.value)


def test_one_hot_needs_a_dimension_a_symbol():
    with pytest.raises(ValueError, match=f"raise --encoder-embed-dim .* {len(SUBWORDS)}$"):
        build(SUBWORDS, encoder_embedder="one-hot", encoder_embed_dim=16)


@pytest.mark.parametrize("boundary", ["space", "script"])
def test_characters_and_bytes_have_the_same_words(boundary):
    words = []
    for dictionary in (CHARS, ByteDictionary()):
        ids = dictionary.encode_line(TEXT).long()[None]
        starts = block_starts(ids, ids.eq(1), symbol_tables(dictionary), boundary)
        begins = starts[0].nonzero().flatten().tolist()
        blocks = ids[0].tensor_split(begins[1:])
        words.append([dictionary.decode(block) for block in blocks])
    assert words[0] == words[1]
    assert len(words[0]) > 4
