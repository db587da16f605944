import shutil

import hypothesis
import numpy as np
import pytest

import fairseq_bytefusion  # noqa: F401  (registers task and model)

from .helpers import (
    SENTENCES,
    approximate,
    model_language,
    script,
    write_labels,
    write_pair,
)

# How long an example takes says how busy the machine is, not whether it is right.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def pytest_configure(config):
    # pytest-xdist 3.7 and newer would begin with the files of most tests.
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(items):
    """Begin with the long files: no worker shall be left alone with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


WORDS = ["kal", "subah", "alarm", "laga", "do", "mausam", "kaisa", "hai", "traffic"]


@pytest.fixture(scope="session")
def toy_data(tmp_path_factory):
    """A raw-text directory: 60/8/8 pairs, the target is the source reversed.

    ``dict.word.xx.txt`` knows its more frequent words.
    """
    folder = tmp_path_factory.mktemp("toy")
    for split, count, start in (("train", 60, 0), ("valid", 8, 60), ("test", 8, 68)):
        sources = [
            " ".join(WORDS[(i * k + i) % len(WORDS)] for k in range(1, 2 + i % 3))
            for i in range(start, start + count)
        ]
        write_pair(folder, split, sources, [s[::-1] for s in sources])
    flags = ("-s", "xx", "-t", "en", "--min-count", "9")
    script("data_prep/build_word_dict.py", folder, *flags)
    return folder


SPANS = {"alarm": "B-THING", "mausam": "B-THING", "laga": "I-THING"}


@pytest.fixture(scope="session")
def label_data(tmp_path_factory):
    """A directory of labelled text: 60/8/8 sentences, whose words have BIO labels, and
    which have one themselves: whether there is an alarm."""
    folder = tmp_path_factory.mktemp("labels")
    for split, count, start in (("train", 60, 0), ("valid", 8, 60), ("test", 8, 68)):
        sentences = []
        for i in range(start, start + count):
            words = [WORDS[(i * k + i) % len(WORDS)] for k in range(1, 2 + i % 3)]
            tagged = [(word, SPANS.get(word, "O")) for word in words]
            sentences.append((tagged, "yes" if "alarm" in words else "no"))
        write_labels(folder, split, sentences)
    script("data_prep/build_word_dict.py", folder, "--labels", "--min-count", "9")
    script("data_prep/build_vocab.py", folder, "--labels", "--kinds", "char")
    return folder


@pytest.fixture(scope="session")
def odd_data(tmp_path_factory):
    """A raw-text directory of sentences in many scripts, some empty."""
    folder = tmp_path_factory.mktemp("odd")
    for split in ("train", "valid", "test"):
        write_pair(folder, split, SENTENCES, SENTENCES[::-1])
    return folder


@pytest.fixture(scope="session")
def small_bert(tmp_path_factory):
    """A Hugging Face directory: a BERT of 2 layers, 32 wide, with 24 positions and a head;
    it lowers case, knows the words of the toy data and pieces of others."""
    pytest.importorskip("tokenizers")
    folder = tmp_path_factory.mktemp("bert")
    lines = [" ".join(WORDS[i:] + WORDS[:i]) for i in range(len(WORDS))]
    lines += ["unbelievable believable day, goverment business"]
    (folder / "text").write_text("\n".join(lines) + "\n")
    script(
        "scripts/experiments/steps/train_bert.py", folder / "text", "--out",
        folder / "bert", "--vocab-size", "80", "--dim", "32", "--layers", "2", "--heads",
        "2", "--positions", "24", "--updates", "20", "--batch-size", "5",
    )  # fmt: skip
    return folder / "bert"


@pytest.fixture(scope="session")
def word_table(tmp_path_factory):
    """A table to learn, 32 wide: words of the toy data, others, and continuations."""
    names = [*WORDS[:6], "goverment", "business", "दुनिया", "##ing", "##sah", "[PAD]"]
    folder = tmp_path_factory.mktemp("table")
    (folder / "words.tsv").write_text("\n".join(names) + "\n", "utf-8")
    rows = np.random.default_rng(1).normal(size=(len(names), 32))
    np.save(folder / "words.npy", rows.astype(np.float32))
    return folder / "words.npy"


@pytest.fixture(scope="session")
def language_text(toy_data, tmp_path_factory):
    """A directory with the sources of ``toy_data`` as text of one language, ``xx``, which
    are also in their places; ``dict.word.xx.txt`` is that of ``toy_data``."""
    folder = tmp_path_factory.mktemp("text") / "data"
    shutil.copytree(toy_data, folder)
    for split in ("train", "valid"):
        shutil.copy(folder / f"{split}.xx-en.xx", folder / f"{split}.xx")
    return folder


@pytest.fixture(scope="session")
def language_model(language_text, tmp_path_factory):
    """A checkpoint of a language model that has begun to learn ``language_text``."""
    folder = tmp_path_factory.mktemp("language_model")
    model_language(language_text, folder, "--max-update", "4", "--disable-validation")
    return folder / "checkpoint_last.pt"


@pytest.fixture(scope="session")
def approximation(word_table, tmp_path_factory):
    """A checkpoint that has begun to learn ``word_table``."""
    folder = tmp_path_factory.mktemp("approximation")
    approximate(word_table, folder, "--max-update", "4", "--disable-validation")
    return folder / "checkpoint_last.pt"
