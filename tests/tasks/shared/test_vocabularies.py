"""The list of known words: read from a file in training, kept by a checkpoint."""

import shutil

import pytest
import torch

from fairseq_bytefusion import cli
from fairseq_bytefusion.data.tables.teacher import read_teacher
from fairseq_bytefusion.generation import ByteTranslator

from ...helpers import TRAIN_FLAGS, failing, fairseq, train
from ..running import make_task

KINDS = {
    "mixture": [
        *("--encoder-embedder", "mixture", "--mixture", "hybrid"),
        *("--mixture-composer", "char-rnn", "--char-embed-dim", "16"),
    ],
    "words": ["--encoder-embedder", "words"],
}
QUIETLY = ("--no-epoch-checkpoints", "--disable-validation")


def write_words(folder, *words):
    (folder / "dict.word.xx.txt").write_bytes(b"".join(b"%s 1\n" % w for w in words))


def test_a_task_that_was_not_asked_for_words_keeps_none(tmp_path):
    assert "source_words" not in make_task(tmp_path).state_dict()


def test_words_of_the_checkpoint_win(tmp_path):
    write_words(tmp_path, b"kal", b"caf\xe9")
    training = make_task(tmp_path)
    assert training.source_words() == [b"kal", b"caf\xe9"]
    state = training.state_dict()
    write_words(tmp_path, b"other")
    task = make_task(tmp_path)
    task.load_state_dict(state)
    assert task.source_words() == [b"kal", b"caf\xe9"]
    # The next model of an ensemble may be older.
    del state["source_words"]
    task.load_state_dict(state)
    assert task.source_words() == [b"other"]


def test_words_that_were_left_out_stay_out(tmp_path, caplog):
    (tmp_path / "dict.char.xx.txt").write_text("a 1\n")
    write_words(tmp_path, b"a", b"ab")
    training = make_task(tmp_path, source_unit="char")
    training.source_words()
    assert "1 of 2 words hold <unk>" in caplog.text
    task = make_task(tmp_path, source_unit="char")
    task.load_state_dict(training.state_dict())
    assert task.source_words() == [b"a"]


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS)
def flags(request):
    """What chooses an embedder with a table of words."""
    return [*request.param, *QUIETLY]


@pytest.fixture(scope="module")
def trained(flags, toy_data, tmp_path_factory):
    """A model whose data directory, and list of words, are gone."""
    folder = tmp_path_factory.mktemp("words")
    data = shutil.copytree(toy_data, folder / "data")
    train(data, folder, *flags, "--max-update", "3")
    shutil.rmtree(data)
    return folder / "checkpoint_last.pt"


def test_a_model_translates_when_its_list_is_gone(toy_data, trained, tmp_path):
    translator = ByteTranslator.from_pretrained(trained, "cpu")
    assert b"kaisa" in translator.task.source_words()
    expected = translator.translate(["kal do"], progress=False)[0].text
    test = [line for line in (toy_data / "test.xx-en.xx").read_text().split("\n") if line]
    other = tmp_path / "other"
    other.mkdir()
    (other / "test.xx-en.xx").write_text("".join(f"{line}\n" for line in ["kal do", *test]))
    result = fairseq(
        "generate", other, "--task", "byte_translation", "-s", "xx", "-t", "en",
        "--path", trained,
    )  # fmt: skip
    assert f"\t{expected}\n" in result.stdout.decode().split("D-0", 1)[1]


def test_its_words_are_a_table_to_learn(trained):
    teacher = read_teacher(str(trained))
    assert "kaisa" in [piece.text for piece in teacher.pieces]


def test_an_average_keeps_them(trained, tmp_path):
    average = tmp_path / "average.pt"
    assert cli.main(["average", str(trained), "--output", str(average)]) == 0
    words = torch.load(average, weights_only=True)["task_state"]["source_words"]
    saved = torch.load(trained, weights_only=True)["task_state"]["source_words"]
    assert torch.equal(words, saved)
    assert len(words)


def test_training_is_not_resumed_with_another_list(toy_data, flags, trained, tmp_path):
    data = shutil.copytree(toy_data, tmp_path / "data")
    shutil.copy(trained, tmp_path)
    known = (data / "dict.word.xx.txt").read_bytes().splitlines()
    (data / "dict.word.xx.txt").write_bytes(b"\n".join([known[1], known[0], *known[2:]]))
    flags = (*TRAIN_FLAGS, *flags, "--max-update", "4")
    assert "is not the list of words it was trained with" in failing(
        "train", data, "--save-dir", tmp_path, *flags
    )
