"""Commands as they were installed, and that they do the same in the tests' own process.

The verbs that are not here run in a process of their own for the sake of its locale:
tests/cli, tests/generation.
"""

import logging
import os
import random
import re
import shutil
import sys
import warnings

import numpy as np
import pytest
import torch

from .helpers import REPO, bytefusion, fairseq, script, train, train_labels

pytestmark = pytest.mark.long

LANGS = ("-s", "xx", "-t", "en")
# Times differ, and what is made of them.
TIMES = re.compile(rb"(wps|ups|\S*wall|gb_free)[= ]\S+|^\S+ \d\d:\d\d:\d\d")


@pytest.fixture(scope="module")
def trainings(toy_data, tmp_path_factory):
    """Folder and finished process of a training here and of the same one elsewhere."""
    found = []
    for apart in (False, True):
        folder = tmp_path_factory.mktemp("commands")
        result = train(
            toy_data, folder, *LANGS, "--max-update", "6", "--dropout", "0.1",
            "--eval-bleu", "--eval-bleu-args", '{"beam": 1, "max_len_b": 5}',
            "--validate-interval-updates", "3", "--no-epoch-checkpoints", apart=apart,
        )  # fmt: skip
        found.append((folder, result))
    return found


def logged(result, pattern):
    lines = [line for line in result.stdout.split(b"\n") if re.search(pattern, line)]
    return [TIMES.sub(b"", line) for line in lines]


def same(first, second):
    """Whether two parts of checkpoints are equal, bit by bit."""
    if isinstance(first, torch.Tensor):
        return torch.equal(first, second)
    if isinstance(first, dict):
        # fairseq saves a buffer that it never initialises.
        keys = {key for key in first if not str(key).endswith("_float_tensor")}
        return first.keys() == second.keys() and all(
            same(first[key], second[key]) for key in keys
        )
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    return first == second


def test_a_training_is_the_same(trainings):
    folders, results = zip(*trainings)
    for pattern in (rb" \| train_inner \| ", rb" \| valid on 'valid' subset \| "):
        here, apart = (logged(result, pattern) for result in results)
        assert len(here) >= 2
        assert here == apart
    for name in ("checkpoint_last.pt", "checkpoint_best.pt"):
        here, apart = (torch.load(folder / name, "cpu") for folder in folders)
        for part in ("model", "last_optimizer_state"):
            assert same(here[part], apart[part]), part
        assert here["extra_state"]["best"] == apart["extra_state"]["best"]


def settings():
    """What commands change of the process that they run in."""
    root = logging.root
    return (
        *(torch.get_rng_state().tolist(), np.random.get_state()[1].tolist()),
        *(random.getstate(), torch.is_grad_enabled(), torch.get_num_threads()),
        *(sys.argv, sys.path.copy(), sys.stdin, sys.stdout, sys.stderr, os.getcwd()),
        *(dict(os.environ), root.level, root.handlers.copy(), warnings.filters.copy()),
    )


def test_a_training_leaves_no_trace(toy_data, tmp_path):
    before = settings()
    flags = (
        *(*LANGS, "--max-update", "6", "--no-epoch-checkpoints"),
        *("--validate-interval-updates", "2"),
    )
    first = train(toy_data, tmp_path / "first", *flags)
    second = train(toy_data, tmp_path / "second", *flags)
    assert settings() == before
    pattern = rb" \| (train|train_inner|valid.*) \| "
    assert logged(first, pattern) == logged(second, pattern)


def test_translations_are_the_same(toy_data, trainings):
    flags = (*LANGS, "--task", "byte_translation", "--beam", "3", "--max-len-b", "9")
    found = [
        fairseq(
            "generate", toy_data, *flags, "--path", folder / "checkpoint_last.pt",
            "--scoring", "sacrebleu", apart=apart,
        )
        for apart, (folder, _) in zip((False, True), trainings)
    ]  # fmt: skip
    assert found[0].stdout.count(b"\nD-") == 8
    assert found[0].stdout == found[1].stdout


def test_interactive_reads_and_translates_the_same(toy_data, trainings):
    flags = (*LANGS, "--task", "byte_translation", "--beam", "3", "--max-len-b", "9")
    path = trainings[0][0] / "checkpoint_last.pt"
    here, apart = (
        fairseq(
            "interactive", toy_data, *flags, "--path", path, "--buffer-size", "2",
            stdin=b"\xef\xbb\xbf kal \r\ncaf\xe9\n\na\rb\r", apart=apart,
        ).stdout
        for apart in (False, True)
    )  # fmt: skip
    assert b"S-0\t kal \n" in here
    assert re.sub(rb"W-.*", b"", here) == re.sub(rb"W-.*", b"", apart)


def test_a_validation_is_the_same(toy_data, trainings):
    flags = ("--task", "byte_translation", "--batch-size", "4", "--path")
    path = trainings[0][0] / "checkpoint_last.pt"
    here, apart = (
        logged(fairseq("validate", toy_data, *flags, path, apart=apart), rb"\| loss ")
        for apart in (False, True)
    )
    assert len(here) == 1
    assert here == apart


@pytest.fixture(scope="module")
def tagger(label_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tagger")
    train_labels("tagging", label_data, folder, "--max-update", "2", "--disable-validation")
    return folder / "checkpoint_last.pt"


VERBS = ["inspect", "average", "neighbours", "predict", "evaluate", "explain"]
VERBS += ["score-text"]


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_prints_the_same(
    trainings, approximation, tagger, language_model, label_data, tmp_path, verb
):
    path, best = (trainings[0][0] / f"checkpoint_{name}.pt" for name in ("last", "best"))
    args = {
        "inspect": [path],
        "average": [path, best, "--output", tmp_path / "mean.pt"],
        "neighbours": [approximation, "kal"],
        "predict": [tagger, "--conll", "--quiet"],
        "evaluate": [tagger, label_data / "test.conll", "--quiet"],
        "explain": [tagger, "--text", "kal alarm", "--json"],
        "score-text": [language_model, "--quiet"],
    }[verb]
    here, apart = (
        bytefusion(verb, *args, apart=apart, stdin=b"kal alarm\n\ncaf\xe9\n").stdout
        for apart in (False, True)
    )
    assert here
    assert here == apart


SCRIPTS = {
    "build_vocab.py": ["data", *LANGS, "--source-size", "40", "--target-size", "40"],
    "build_word_dict.py": ["data", *LANGS, "--min-count", "2"],
    "few_shot.py": ["data", *LANGS, "--sizes", "5", "9", "--out", "few"],
    "prepare.py": [
        *(*LANGS, "--pair", "data/train.xx-en.xx", "data/train.xx-en.en", "--out", "out"),
        *("--num-test", "5"),
    ],
}


def test_every_script_is_run():
    main = 'if __name__ == "__main__":'
    found = [p.name for p in (REPO / "data_prep").glob("*.py") if main in p.read_text()]
    assert set(found) == set(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_makes_the_same(toy_data, tmp_path, name):
    made = []
    for apart in (False, True):
        folder = tmp_path / str(apart)
        text = shutil.ignore_patterns("*.npy", "dict.*")
        given = len(list(shutil.copytree(toy_data, folder / "data", ignore=text).iterdir()))
        result = script(f"data_prep/{name}", *SCRIPTS[name], cwd=folder, apart=apart)
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert len(files) > given
        contents = {path.relative_to(folder): path.read_bytes() for path in files}
        made.append((result.stdout, contents))
    assert made[0] == made[1]
