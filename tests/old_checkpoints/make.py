#!/usr/bin/env python3
"""Train a tiny checkpoint of each kind, and note what becomes of it.

    python -m tests.old_checkpoints.make

was run on the code as it was before the package had more than one task (commit e9a1b33),
for kinds of labels on the code that they first appeared in;
the tests beside it hold every later version to what it wrote. Run it again only for a kind
that is new, naming it, on the code that this kind first appeared in.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import torch
from fairseq import checkpoint_utils

import fairseq_bytefusion  # noqa: F401
from fairseq_bytefusion.generation import ByteTranslator, TextScorer

from ..helpers import fairseq, script, write_labels, write_pair

FOLDER = Path(__file__).resolve().parent
DATA, EXPECTED = FOLDER / "data", FOLDER / "expected.json"
SOURCES = ["kal subah alarm laga do", "mausam kaisa hai", "do", "laga do kal"]
UPDATES, UPDATES_AFTER_RESUMING = 4, 6

_SHAPE = [
    f"--{side}-{name}={value}"
    for side in ("encoder", "decoder")
    for name, value in (("embed-dim", 16), ("ffn-embed-dim", 16), ("attention-heads", 2))
]
_TRAINING = [
    *("--optimizer", "adam", "--lr", "0.005", "--lr-scheduler", "inverse_sqrt"),
    *("--warmup-updates", "2", "--dropout", "0", "--num-workers", "0"),
    *("--no-epoch-checkpoints", "--disable-validation", "--log-format", "simple"),
]
_TRANSLATION = [
    *("--task", "byte_translation", "-s", "xx", "-t", "en", "--arch", "byte_transformer"),
    *("--criterion", "label_smoothed_cross_entropy", "--label-smoothing", "0.1"),
    *("--max-tokens", "200", "--encoder-layers", "2", "--decoder-layers", "1", *_SHAPE),
    *("--max-target-positions", "64", *_TRAINING),
]
_LABELLING = [
    *("--max-tokens", "200", "--encoder-embed-dim", "16", "--encoder-layers", "1"),
    *("--encoder-ffn-embed-dim", "16", "--encoder-attention-heads", "2", *_TRAINING),
]
_CHAR2SUBWORD = (
    *("--char-embed-dim", "4", "--char2subword-layers", "1", "--char2subword-heads", "2"),
)
_CHARACTERS = ("--source-unit", "char", "--target-unit", "char")
_NARROW = ("--encoder-embed-dim", "24", "--decoder-embed-dim", "24")

#: kind -> flags of fairseq-train behind the data
KINDS = {
    "dense": [*_TRANSLATION, "--share-decoder-input-output-embed"],
    "one_hot": [
        *(*_TRANSLATION, *_CHARACTERS, *_NARROW),
        *("--encoder-embedder", "one-hot", "--decoder-embedder", "one-hot"),
    ],
    "ncf": [*_TRANSLATION, "--encoder-fusion", "ncf"],
    "wsf": [*_TRANSLATION, "--encoder-fusion", "wsf", "--wsf-max-word", "8"],
    "msc": [*_TRANSLATION, "--encoder-fusion", "msc", "--decoder-fusion", "msc"],
    "fused": [
        *(*_TRANSLATION, "--encoder-attention", "fused", "--decoder-attention", "fused"),
        *("--cross-attention", "fused"),
    ],
    "char_cnn": [
        *(*_TRANSLATION, "--encoder-embedder", "char-cnn"),
        *("--char-cnn-filters", "1:4,3:8"),
    ],
    "hit": [
        *(*_TRANSLATION, "--encoder-embedder", "mixture", "--mixture-composer", "hit"),
        *("--char-embed-dim", "8", "--hit-ffn-embed-dim", "8", "--hit-heads", "2"),
    ],
    "words": [*_TRANSLATION, "--encoder-embedder", "words"],
    "lookahead": [
        *(*_TRANSLATION, "--lookahead-heads", "2", "--criterion"),
        "label_smoothed_cross_entropy_with_lookahead",
    ],
    "hybrid": [
        *(*_TRANSLATION, "--encoder-embedder", "mixture", "--mixture", "hybrid"),
        *("--char-embed-dim", "8", "--char2subword-layers", "1"),
    ],
    "approximation": [
        *("--task", "embedding_approximation", "--arch", "embedding_approximation"),
        *("--criterion", "embedding_approximation", "--batch-size", "3"),
        *("--char-embed-dim", "8", "--char2subword-layers", "1", "--num-neighbours", "3"),
        *_TRAINING,
    ],
    "tagging": [
        *("--task", "byte_tagging", "--criterion", "byte_tagging", "--arch"),
        *("byte_tagger", *_LABELLING, "--tag-decoder", "crf", "--encoder-embedder"),
        *("mixture", "--mixture-composer", "char-cnn", "--char-cnn-filters", "1:4,3:8"),
    ],
    "classification": [
        *("--task", "byte_classification", "--criterion", "byte_classification"),
        *("--arch", "byte_classifier", *_LABELLING, "--encoder-type", "lstm"),
        *("--source-unit", "char", "--tfidf", "--tfidf-features", "8"),
    ],
    "pretrained": [
        *("--task", "byte_tagging", "--criterion", "byte_tagging", "--arch"),
        *("byte_tagger", "--max-tokens", "200", *_TRAINING, "--encoder-type"),
        *("pretrained", "--pretrained", "data/bert", "--pretrained-input", "hybrid"),
        *("--encoder-embedder", "char2subword", *_CHAR2SUBWORD),
    ],
    "masked_pieces": [
        *("--task", "masked_pieces", "--criterion", "masked_pieces", "--arch"),
        *("char2subword_mlm", "-s", "xx-en.xx", "--pretrained", "data/bert"),
        *("--batch-size", "8", *_CHAR2SUBWORD, *_TRAINING),
    ],
    "masked_characters": [
        *("--task", "masked_characters", "--criterion", "masked_characters", "--arch"),
        *("masked_characters", "-s", "xx-en.xx", "--encoder-embedder", "char-rnn"),
        *("--char-embed-dim", "8", "--char-rnn-hidden-dim", "8", "--max-tokens", "200"),
        *_TRAINING,
    ],
    "bilm": [
        *("--task", "word_language_model", "--criterion", "word_language_model", "--arch"),
        *("bilm", "-s", "xx-en.xx", "--encoder-embed-dim", "4", "--lstm-dim", "6"),
        *("--char-cnn-filters", "1:2,3:4", "--char-embed-dim", "4", "--max-tokens", "200"),
        *_TRAINING,
    ],
    "elmo": [
        *(*_TRANSLATION, "--encoder-embedder", "elmo", "--elmo-from", "bilm.pt"),
        *("--elmo-layer-norm", "--elmo-dropout", "0"),
    ],
}
#: kind -> packages that it needs beside those of every installation
PACKAGES = {
    "tagging": "torchcrf",
    "classification": "sklearn",
    "pretrained": "transformers",
    "masked_pieces": "transformers",
}
LABELLING = ["tagging", "classification", "pretrained"]
OTHERS = ["approximation", "masked_pieces", "masked_characters", "bilm"]
#: kind -> how near its numbers must be: those of transformers are not ours
TOLERANCES = {"pretrained": 1e-3, "masked_pieces": 1e-3}


def data_of(kind, folder=DATA):
    """Path of what ``kind`` is trained on."""
    return folder / "words.npy" if kind == "approximation" else folder


def resume(kind, data, save_dir, updates):
    """Train ``kind`` to ``updates`` updates, from where ``save_dir`` stopped."""
    flags = ["--save-dir", save_dir, "--max-update", updates, *KINDS[kind]]
    return fairseq("train", data, *flags, cwd=FOLDER)


def size_of_parameters(path):
    """float: the sum of all parameters' absolute values."""
    state = torch.load(path, map_location="cpu")["model"]
    parameters = (x for name, x in state.items() if not name.endswith("_float_tensor"))
    return sum(float(x.double().abs().sum()) for x in parameters)


@torch.no_grad()
def scores_of(translator):
    """list of float: log-probability of each source as its own translation."""
    task, model = translator.task, translator.models[0]
    tokens, lengths = task.get_interactive_tokens_and_lengths(SOURCES, lambda x: x)
    batch = task.build_dataset_for_inference(tokens, lengths)
    batch = batch.collater([batch[i] for i in range(len(SOURCES))])
    encoder_out = model.encoder(batch["net_input"]["src_tokens"])
    dictionary, rows = task.target_dictionary, batch["id"].tolist()
    targets = torch.nn.utils.rnn.pad_sequence(
        [dictionary.encode_line(SOURCES[i]).long() for i in rows], True, dictionary.pad()
    )
    previous = targets.roll(1, 1)
    previous[:, 0] = dictionary.eos()
    logits, _ = model.decoder(previous, encoder_out)
    chosen = logits.log_softmax(-1).gather(2, targets.unsqueeze(2)).squeeze(2)
    sums = chosen.masked_fill(targets.eq(dictionary.pad()), 0.0).sum(1).tolist()
    return [total for _, total in sorted(zip(rows, sums))]


@torch.no_grad()
def labels_of(path, data=DATA):
    """Of a checkpoint that labels: the labels of the training data, by id, and the size of
    their scores."""
    overrides = {"data": str(data)}
    models, _, task = checkpoint_utils.load_model_ensemble_and_task([str(path)], overrides)
    task.load_dataset("valid")
    dataset = task.dataset("valid")
    batch = dataset.collater([dataset[i] for i in range(len(dataset))])
    output = models[0].eval()(**batch["net_input"])
    size = float(models[0].log_probabilities(output).double().sum())
    return {"labels": models[0].decode(output).tolist(), "scores": size}


def text_scores_of(path, data=DATA):
    """list of list of float: log-probabilities of ``SOURCES`` by a language model, of each
    direction."""
    found = TextScorer.from_pretrained(path, "cpu", data).score(SOURCES, progress=False)
    return [[scores.log_probability for scores in each.values()] for each in found]


def _make_labels():
    """Labelled text of the words that are there: a word's label is its first letter."""
    for split in ("train", "valid"):
        lines = (DATA / f"{split}.xx-en.xx").read_text("utf-8").splitlines()
        words = [line.split() for line in lines]
        tagged = [
            ([(w, w[0]) for w in ws], "long" if len(ws) > 2 else "short") for ws in words
        ]
        write_labels(DATA, split, tagged)
    for kind in ("char", "word"):
        shutil.copy(DATA / f"dict.{kind}.xx.txt", DATA / f"dict.{kind}.txt")


def _make_bert():
    """A BERT of the words that are there."""
    if not (DATA / "bert").exists():
        script(
            "scripts/experiments/steps/train_bert.py", DATA / "train.xx-en.xx", "--out",
            DATA / "bert", "--vocab-size", "60", "--dim", "16", "--layers", "1", "--heads",
            "2", "--positions", "16", "--updates", "20", "--batch-size", "8",
        )  # fmt: skip


def _make_data():
    DATA.mkdir(exist_ok=True)
    words = ["kal", "subah", "alarm", "laga", "do", "mausam", "kaisa", "hai"]
    for split, count in (("train", 24), ("valid", 4), ("test", 4)):
        lines = [
            " ".join(words[i * k % 8] for k in range(1, 2 + i % 4)) for i in range(count)
        ]
        write_pair(DATA, split, lines, [line[::-1] for line in lines])
    letters = sorted(set("".join(words)))
    for lang in ("xx", "en"):
        (DATA / f"dict.char.{lang}.txt").write_text(
            "".join(f"{letter} 1\n" for letter in ["▁", *letters]), "utf-8"
        )
    (DATA / "dict.word.xx.txt").write_text("kal 3\ndo 2\nhai 1\n")
    (DATA / "dict.word.xx-en.xx.txt").write_text("kal 3\ndo 2\nhai 1\n")
    (DATA / "words.tsv").write_text("\n".join([*words, "##ing", "goverment"]) + "\n")
    np.save(DATA / "words.npy", np.random.default_rng(1).normal(size=(10, 16)))


def _make(kind):
    """Train a checkpoint; returns what the tests shall find."""
    path, work = FOLDER / f"{kind}.pt", FOLDER / "work"
    shutil.rmtree(work, ignore_errors=True)
    data = data_of(kind).relative_to(FOLDER)  # a checkpoint names no folder of a machine
    resume(kind, data, work, UPDATES)
    shutil.copy(work / "checkpoint_last.pt", path)
    expected = {"size": size_of_parameters(path)}
    resume(kind, data, work, UPDATES_AFTER_RESUMING)
    expected["resumed_size"] = size_of_parameters(work / "checkpoint_last.pt")
    shutil.rmtree(work)
    if kind in LABELLING:
        expected.update(labels_of(path))
    elif kind == "bilm":
        expected["scores"] = text_scores_of(path)
    elif kind not in OTHERS:
        translator = ByteTranslator.from_pretrained(path, "cpu", data=DATA)
        found = translator.translate(SOURCES, beam=2, progress=False)
        expected["translations"] = [t.text for t in found]
        expected["scores"] = scores_of(translator)
    return expected


def main():
    kinds = sys.argv[1:] or list(KINDS)
    if not sys.argv[1:]:
        _make_data()
    if not set(kinds).isdisjoint(LABELLING):
        _make_labels()
    if not set(kinds).isdisjoint(TOLERANCES):
        _make_bert()
    expected = json.loads(EXPECTED.read_text("utf-8")) if EXPECTED.exists() else {}
    for kind in kinds:
        expected[kind] = _make(kind)
    EXPECTED.write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for cache in DATA.glob("*.npy"):
        if cache.name != "words.npy":
            cache.unlink()


if __name__ == "__main__":
    main()
