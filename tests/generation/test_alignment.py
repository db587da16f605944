"""Alignments: against the oracle, and the diagonal of a task of copying."""

import random

import pytest
import torch

from fairseq_bytefusion.generation import ByteTranslator
from fairseq_bytefusion.generation.alignment import WordAttention, align_words
from fairseq_bytefusion.text import ByteDictionary
from fairseq_bytefusion.text.symbol_words import bytes_of_symbols, words_of_symbols
from fairseq_bytefusion.text.word_list import split_words

from ..helpers import build_model, pad_batch, train, write_pair
from ..models.systems import COMPOSER_OPTIONS
from ..oracles.word_alignment import alignment

pytestmark = pytest.mark.long

SOURCES = ["kal subah 7", "दुनिया  do", "", "x ", " a b"]
TARGETS = ["now  at", "the world", "", "a b c", "é"]


def words(text):
    """The word of each byte of a text and of </s>, None for none."""
    found, number = [], -1
    before = b" "
    for i in range(len(text.encode())):
        byte = text.encode()[i : i + 1]
        number += byte != b" " and before == b" "
        before = byte
        found.append(number + (byte == b" "))
    count = len(text.split())
    return [None if word >= count else word for word in found] + [None]


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("name", ["dense", "char-cnn", "mixture"])
def test_alignments_are_those_of_the_oracle(name, left):
    options = {} if name == "dense" else COMPOSER_OPTIONS[name]
    models = [build_model(seed=s, encoder_embedder=name, **options) for s in (1, 2)]
    dictionary = models[0].decoder.dictionary
    symbols = bytes_of_symbols(dictionary)
    batch = {"src_tokens": pad_batch(SOURCES, left, extra=2), "src_lengths": None}
    written = [dictionary.encode_line(text).long() for text in TARGETS]
    index = [words_of_symbols(symbols[i] for i in pad_batch([s])[0]) for s in SOURCES]
    found = WordAttention(models, dictionary, dictionary)(
        batch, [i for _, i in index], [len(w) for w, _ in index], written
    )
    for source, target, own, ids in zip(SOURCES, TARGETS, found, written):
        heads = []
        for model in models:
            with torch.no_grad():
                memory = model.encoder(pad_batch([source]))
                previous = torch.cat([ids[-1:], ids[:-1]])[None]
                for head in range(4):
                    # fairseq's way to ask for one head is an average of the first ones.
                    sums = [
                        n * model.decoder.extract_features(
                            previous, memory, alignment_layer=1, alignment_heads=n
                        )[1]["attn"][0][0] if n else 0
                        for n in (head, head + 1)
                    ]  # fmt: skip
                    heads.append((sums[1] - sums[0]).tolist())
        of_state = words(source)
        if name != "dense":
            blocks = [*range(len(source.split())), *([None] if source[-1:] == " " else [])]
            of_state = [*blocks, None]
        assert len(heads[0][0]) == len(of_state)
        expected = alignment(heads, words(target), of_state)
        _, of_target = words_of_symbols(symbols[i] for i in ids)
        assert align_words(own, of_target, len(split_words(target))) == tuple(expected)


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        # tag, k, a, l, space, d, o, space, </s>
        (9, [-1, 0, 0, 0, 1, 1, 1, -1, -1]),
        # tag, kal, do, space, </s>
        (5, [-1, 0, 1, -1, -1]),
    ],
    ids=["symbols", "words"],
)
def test_a_tag_is_no_word(states, expected):
    dictionary = ByteDictionary()
    dictionary.set_tags(["de", "fr"])
    symbols = bytes_of_symbols(dictionary)
    ids = dictionary.encode_line("kal do ").long()
    ids = torch.cat([torch.tensor([dictionary.tags["fr"]]), ids])
    _, index = words_of_symbols(symbols[i] for i in ids)
    padded = torch.cat([ids, ids.new_full((2,), dictionary.pad())])
    of_words = WordAttention([], dictionary, dictionary)
    assert of_words.columns(padded, index, states).tolist() == expected


def test_an_encoder_whose_states_are_no_words():
    model = build_model()
    dictionary = model.decoder.dictionary

    class Halved(torch.nn.Module):
        def forward(self, tokens, src_lengths):
            found = model.encoder(tokens)
            found["encoder_out"] = [found["encoder_out"][0][::2]]
            mask = found["encoder_padding_mask"][0]
            return {**found, "encoder_padding_mask": [mask[:, ::2]]}

    other = torch.nn.Module()
    other.encoder, other.decoder = Halved(), model.decoder
    batch = {"src_tokens": pad_batch(["kal do"]), "src_lengths": None}
    with pytest.raises(ValueError, match="this model makes others: drop --alignments"):
        WordAttention([other], dictionary, dictionary)(
            batch, [[0] * 7], [1], [dictionary.encode_line("a").long()]
        )


def copies(generator, count):
    """Sentences of one to four words."""
    return [
        " ".join(
            generator.choice("abcdef") + generator.choice(("", "x", "yy"))
            for _ in range(generator.randint(1, 4))
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    "flags",
    [[], ["--encoder-embedder", "char-cnn", "--char-cnn-filters", "1:16,2:32"]],
    ids=["dense", "char-cnn"],
)
def test_copies_are_aligned_along_the_diagonal(tmp_path, flags):
    generator = random.Random(1)
    for split, count in (("train", 600), ("valid", 8)):
        sentences = copies(generator, count)
        write_pair(tmp_path, split, sentences, sentences)
    train(
        tmp_path, tmp_path, "--encoder-embed-dim", "64", "--decoder-embed-dim", "64",
        "--encoder-layers", "1", "--decoder-layers", "1", "--max-tokens", "1000",
        "--warmup-updates", "100", "--label-smoothing", "0", "--max-update", "300",
        "--no-epoch-checkpoints", "--disable-validation", *flags,
    )  # fmt: skip
    translator = ByteTranslator.from_pretrained(tmp_path / "checkpoint_last.pt", "cpu")
    texts = copies(generator, 50)
    scored = translator.score(texts, texts, progress=False, alignments=True)
    links = [link for found in scored for link in found.alignment]
    assert len(links) == sum(len(text.split()) for text in texts)
    assert sum(source == target for source, target in links) > 0.97 * len(links)
    copied = translator.translate(texts, beam=2, progress=False, alignments=True)
    right = [found for text, found in zip(texts, copied) if found.text == text]
    assert len(right) > 0.4 * len(texts)
    expected = [" ".join(f"{i}-{i}" for i in range(len(f.words))) for f in right]
    same = [found.pharaoh == line for found, line in zip(right, expected)]
    assert sum(same) > 0.9 * len(right)
