import sys

import pytest

import fairseq_bytefusion  # noqa: F401  (registers task and model)

from .helpers import REPO, SENTENCES, run, write_pair

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
    script = REPO / "data_prep/build_word_dict.py"
    run(sys.executable, script, folder, "-s", "xx", "-t", "en", "--min-count", "9")
    return folder


@pytest.fixture(scope="session")
def odd_data(tmp_path_factory):
    """A raw-text directory of sentences in many scripts, some empty."""
    folder = tmp_path_factory.mktemp("odd")
    for split in ("train", "valid", "test"):
        write_pair(folder, split, SENTENCES, SENTENCES[::-1])
    return folder
