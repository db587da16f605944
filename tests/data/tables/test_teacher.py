import gzip
import json
import logging
from argparse import Namespace

import numpy as np
import pytest
import torch
from fairseq.data import Dictionary

from fairseq_bytefusion.data.tables.teacher import read_teacher

NAMES = ["[PAD]", "the", "##ing", "wörld"]
ROWS = np.arange(8, dtype=np.float16).reshape(4, 2) / 8


def check(teacher, path):
    assert teacher.path == str(path)
    assert [(p.text, p.begins) for p in teacher.pieces] == [
        ("the", True),
        ("ing", False),
        ("wörld", True),
    ]
    assert teacher.table.dtype == torch.float32
    assert torch.equal(teacher.table, torch.from_numpy(ROWS[1:]).float())


def write_npy(path, rows=ROWS):
    with (gzip.open if path.suffix == ".gz" else open)(path, "wb") as file:
        np.save(file, rows)


@pytest.mark.parametrize(
    ("array", "names"),
    [
        ("t.npy", "t.tsv"),
        ("t.npy.gz", "t.vocab.tsv"),
        ("t.f16.npy.gz", "t.vocab.tsv"),
        ("t.f16.npy", "t.f16.tsv"),
    ],
)
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_array_and_tsv(tmp_path, caplog, array, names, columns):
    write_npy(tmp_path / array)
    lines = [
        "\t".join(([name], ["7", name], ["7", name, "-1.5"])[columns - 1]) for name in NAMES
    ]
    (tmp_path / names).write_text("\n".join(lines) + "\n", "utf-8")
    path = str(tmp_path / array)
    with caplog.at_level(logging.INFO):
        check(read_teacher(path), path)
    assert f"{path}: 1 of 4 rows left out: special symbols [PAD]" in caplog.text


def write_hugging_face(folder, rows=ROWS, key="bert.embeddings.word_embeddings.weight"):
    from safetensors.torch import save_file

    tensors = {key: torch.from_numpy(rows), "pooler.weight": torch.zeros(1)}
    save_file(tensors, folder / "model.safetensors")


TOKENIZERS = {
    "WordPiece": {"vocab": {name: row for row, name in enumerate(NAMES)}},
    "Unigram": {
        "vocab": [[name, -1.0] for name in ("[PAD]", "▁the", "ing", "▁wörld")],
    },
}


@pytest.mark.parametrize("key", ["embeddings.word_embeddings.weight", "shared.weight"])
@pytest.mark.parametrize("vocabulary", ["vocab.txt", *TOKENIZERS])
def test_hugging_face_directory(tmp_path, vocabulary, key):
    if vocabulary == "vocab.txt":
        (tmp_path / vocabulary).write_text("\n".join(NAMES) + "\n", "utf-8")
    else:
        special = {"id": 0, "content": "[PAD]", "special": True}
        tokenizer = {"model": TOKENIZERS[vocabulary], "added_tokens": [special]}
        (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
        # What both hold is said in tokenizer.json.
        (tmp_path / "vocab.txt").write_text("wrong\n", "utf-8")
    write_hugging_face(tmp_path, key=key)
    check(read_teacher(str(tmp_path)), tmp_path)


def test_special_symbols_may_be_called_anything(tmp_path):
    added = [
        {"id": 0, "content": "!pad", "special": True},
        {"id": 3, "content": "wörld", "special": False},
    ]
    tokenizer = {"model": {"vocab": {"the": 1, "##ing": 2}}, "added_tokens": added}
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    write_hugging_face(tmp_path)
    check(read_teacher(str(tmp_path)), tmp_path)


def test_tables_may_be_padded_with_rows(tmp_path, caplog):
    (tmp_path / "vocab.txt").write_text("\n".join(NAMES) + "\n", "utf-8")
    write_hugging_face(tmp_path, np.concatenate([ROWS, ROWS]))
    with caplog.at_level(logging.INFO):
        check(read_teacher(str(tmp_path)), tmp_path)
    assert "4 of 8 rows left out: no entry in the vocabulary" in caplog.text


def write_checkpoint(folder, parameters, **task):
    path = folder / "checkpoint.pt"
    cfg = {"model": Namespace(_name="transformer"), "task": Namespace(**task)}
    state = {"cfg": cfg, "args": None, "model": parameters}
    state["optimizer_history"] = [{"num_updates": 1, "lr_scheduler_state": {}}]
    state["extra_state"] = {"train_iterator": {"epoch": 1}}
    torch.save(state, path)
    return str(path)


def write_dictionary(path):
    dictionary = Dictionary()
    for symbol in ("▁the", "ing", "▁wörld"):
        dictionary.add_symbol(symbol)
    dictionary.save(str(path))


@pytest.mark.parametrize("beside", [True, False])
def test_encoder_table_of_a_fairseq_checkpoint(tmp_path, beside):
    data = tmp_path / "data"
    data.mkdir()
    write_dictionary((tmp_path if beside else data) / "dict.de.txt")
    rows = torch.cat([torch.full((4, 2), 9.0), torch.from_numpy(ROWS[1:]).float()])
    rows = {"encoder.embed_tokens.weight": rows}
    path = write_checkpoint(tmp_path, rows, data=str(data), source_lang="de")
    check(read_teacher(path), path)


def missing_tsv(folder):
    write_npy(folder / "t.f16.npy")
    return folder / "t.f16.npy"


def short_tsv(folder):
    (folder / "t.tsv").write_text("a\nb\n")
    write_npy(folder / "t.npy")
    return folder / "t.npy"


def flat_array(folder):
    (folder / "t.tsv").write_text("a\n")
    write_npy(folder / "t.npy", ROWS[0])
    return folder / "t.npy"


def only_special(folder):
    (folder / "t.tsv").write_text("<s>\n" * 4)
    write_npy(folder / "t.npy")
    return folder / "t.npy"


def no_table(folder):
    (folder / "vocab.txt").write_text("a\n")
    write_hugging_face(folder, key="classifier.weight")
    return folder


def long_vocabulary(folder):
    (folder / "vocab.txt").write_text("a\n" * 5)
    write_hugging_face(folder)
    return folder


def no_vocabulary(folder):
    (folder / "tokenizer.json").write_text("{}")
    return folder


def other_marks(folder):
    (folder / "t.tsv").write_text("a@@\nb\nc\nd\n")
    write_npy(folder / "t.npy")
    return folder / "t.npy"


def no_dictionary(folder):
    rows = {"encoder.embed_tokens.weight": torch.eye(3)}
    return write_checkpoint(folder, rows, data="gone", source_lang="de")


def wide_dictionary(folder):
    (folder / "dict.de.txt").write_bytes("a 1\nb 1\n".encode("utf-16"))
    return no_dictionary(folder)


def no_encoder(folder):
    return write_checkpoint(folder, {"decoder.weight": torch.eye(3)}, data="gone")


def not_finite(folder):
    (folder / "t.tsv").write_text("[PAD]\na\nb\nc\n")
    # A row that is left out may hold anything.
    write_npy(folder / "t.npy", np.array([[np.nan], [1.0], [np.inf], [np.nan]]))
    return folder / "t.npy"


def no_width(folder):
    (folder / "t.tsv").write_text("a\nb\n")
    write_npy(folder / "t.npy", np.zeros((2, 0)))
    return folder / "t.npy"


def other_file(folder):
    (folder / "t.bin").write_text("")
    return folder / "t.bin"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (missing_tsv, r"no such file: .*t\.f16\.tsv nor .*t\.vocab\.tsv, what the rows"),
        (short_tsv, r"t\.tsv has 2 entries and .*t\.npy 4 rows"),
        (flat_array, "must have two dimensions, it has 1"),
        (only_special, "holds no piece that spells anything"),
        (no_table, r"has no table of embeddings \(word_embeddings.weight, .*model.safe"),
        (long_vocabulary, r"vocab\.txt has 5 entries and .* 4 rows"),
        (no_vocabulary, r"tokenizer\.json is not .* it holds no vocabulary"),
        (other_marks, r"t\.npy: 1 of 4 pieces have the mark @@"),
        (no_dictionary, r"no such file: .*dict\.de\.txt nor gone/dict\.de\.txt, .*copy it"),
        (wide_dictionary, r"dict\.de\.txt is not a dictionary of fairseq"),
        (no_encoder, "has no table of embeddings in its encoder"),
        (not_finite, r"t\.npy: 2 of 3 rows hold NaN or infinity: b c"),
        (no_width, r"t\.npy: its 2 rows hold no number \(width 0\)"),
        (other_file, r"t\.bin is no table of embeddings: give a fairseq checkpoint"),
        (lambda folder: folder / "nothing", "no such file or directory: .*nothing"),
        (lambda folder: folder, r"no such file: .*tokenizer\.json nor .*vocab\.txt"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, make, message):
    with pytest.raises((OSError, ValueError), match=message):
        read_teacher(str(make(tmp_path)))


def test_rows_of_one_spelling_are_counted(tmp_path, caplog):
    (tmp_path / "t.tsv").write_text("▁a\na\n▁▁a\n▁b\n", "utf-8")
    write_npy(tmp_path / "t.npy")
    with caplog.at_level(logging.WARNING):
        assert len(read_teacher(str(tmp_path / "t.npy")).pieces) == 4
    assert "t.npy: 2 of 4 rows are spelt as another row is: ▁a ▁▁a" in caplog.text
