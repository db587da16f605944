"""Drafts of an n-gram model, and the file they are kept in."""

import numpy as np
import pytest
import torch

from fairseq_bytefusion.search.drafts.ngram import NgramDraft, vocabulary_name
from fairseq_bytefusion.search.drafts.ngram_table import NgramTable
from fairseq_bytefusion.text import ByteDictionary

from ...helpers import bytefusion, write_pair
from ...oracles.ngrams import after, most_frequent

BYTES = ByteDictionary()
EOS = BYTES.eos()
TEXT = ["set an alarm", "set a timer", "set an alarm for ten", "é", "call ten people"]


def draft_of(texts, order=5):
    symbols = np.concatenate([BYTES.encode_line(t).numpy() for t in texts])
    return NgramDraft(NgramTable.count(order, symbols, EOS), vocabulary_name(BYTES), EOS)


@pytest.mark.parametrize("k", [0, 1, 6])
def test_a_draft_goes_on_with_what_it_foresees(k):
    order, begun = 5, ["", "s", "set a", "call t", "zz", "set an alarm for ten"]
    table = most_frequent([BYTES.encode_line(t).tolist() for t in TEXT], order, EOS)
    rows = [[EOS, *BYTES.encode_line(text)[:-1].tolist()] for text in begun]
    lengths = torch.tensor([len(row) for row in rows])
    tokens = torch.full((len(rows), 40), BYTES.pad())
    for row, symbols in zip(tokens, rows):
        row[: len(symbols)] = torch.tensor(symbols)
    found = draft_of(TEXT, order).propose(None, tokens, lengths, k)
    assert found.shape == (len(rows), k)
    for row, symbols in zip(found.tolist(), rows):
        history = list(symbols)
        for symbol in row:
            expected = after(table, order, history)
            assert symbol == (EOS if expected < 0 else expected)
            history.append(symbol)


def test_the_verb_counts_the_targets_of_training(tmp_path):
    write_pair(tmp_path, "train", ["x"] * len(TEXT), TEXT)
    path = tmp_path / "draft.npz"
    flags = ("-s", "xx", "-t", "en", "--order", "5", "--output", path)
    printed = bytefusion("draft", tmp_path, *flags).stdout.decode()
    found, expected = NgramDraft.load(str(path), BYTES), draft_of(TEXT)
    assert printed == f"{path}: {expected.table.num_contexts} contexts of 1 to 4\n"
    assert found.table.order == 5
    for name in ("marks", "symbols"):
        assert (getattr(found.table, name) == getattr(expected.table, name)).all()
    assert not list(tmp_path.glob("*.tmp"))


@pytest.mark.parametrize(
    ("change", "flags", "message"),
    [
        (None, ("--order", "1"), "--order 1 must be at least 2: one symbol, and what"),
        (None, ("-s", "yy"), "train.yy-en"),
        (None, ("--target-unit", "char"), "no such file: .*dict.char.en.txt"),
        ("empty", (), "the training targets of .* hold no text to count"),
        ("gone", (), "no such"),
    ],
)
def test_bad_input_of_the_verb(tmp_path, change, flags, message):
    data = tmp_path / "data"
    data.mkdir()
    texts = [""] if change == "empty" else TEXT
    write_pair(data, "train", ["x"] * len(texts), texts)
    if change == "gone":
        data = tmp_path / "nowhere"
    given = ("-s", "xx", "-t", "en", *flags, "--output", tmp_path / "d.npz")
    result = bytefusion("draft", data, *given, check=False)
    lines = result.stderr.decode().strip().split("\n")
    assert result.returncode == 1
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(lines[-1])
    assert not (tmp_path / "d.npz").exists()


def test_bad_files(tmp_path):
    path = tmp_path / "draft.npz"
    path.write_bytes(b"no zip")
    with pytest.raises(ValueError, match="draft.npz is no draft file: make one with byte"):
        NgramDraft.load(str(path), BYTES)
    np.savez(path, version=1, order=3)
    with pytest.raises(ValueError, match="is no draft file"):
        NgramDraft.load(str(path), BYTES)
    draft_of(TEXT).save(str(path))
    with np.load(path) as arrays:
        np.savez(tmp_path / "cut.npz", **{**arrays, "marks": arrays["marks"][:5]})
    with pytest.raises(ValueError, match="cut.npz is no draft file"):
        NgramDraft.load(str(tmp_path / "cut.npz"), BYTES)
    with np.load(path) as arrays:
        np.savez(path, **{**arrays, "version": 2})
    with pytest.raises(ValueError, match="is of another version: make it anew"):
        NgramDraft.load(str(path), BYTES)
    draft_of(TEXT).save(str(path))
    characters = ByteDictionary()
    characters.unit, characters.digest = "char", "0123456789abcdef"
    with pytest.raises(ValueError, match="made for byte, and the model writes char 0123"):
        NgramDraft.load(str(path), characters)
    with pytest.raises(FileNotFoundError):
        NgramDraft.load(str(tmp_path / "none.npz"), BYTES)
