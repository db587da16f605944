"""Files of tables that are written in another way, or broken."""

import gzip
import json

import numpy as np
import pytest
import torch

from fairseq_bytefusion.data.tables.teacher import read_teacher

from .test_teacher import NAMES, ROWS, check, write_hugging_face, write_npy


def write_names(path, mark=b"\xef\xbb\xbf", end=b"\r\n"):
    path.write_bytes(mark + b"".join(name.encode() + end for name in NAMES))


def test_names_with_crlf_and_a_mark(tmp_path):
    write_names(tmp_path / "t.tsv")
    write_npy(tmp_path / "t.npy")
    check(read_teacher(str(tmp_path / "t.npy")), tmp_path / "t.npy")
    folder = tmp_path / "hf"
    folder.mkdir()
    write_names(folder / "vocab.txt")
    write_hugging_face(folder)
    check(read_teacher(str(folder)), folder)


@pytest.mark.parametrize("dtype", [">f4", ">f8", "<f2"])
def test_numbers_of_another_machine(tmp_path, dtype):
    write_names(tmp_path / "t.tsv")
    write_npy(tmp_path / "t.npy", ROWS.astype(dtype))
    check(read_teacher(str(tmp_path / "t.npy")), tmp_path / "t.npy")


def array(folder, content, name="t.npy"):
    write_names(folder / "t.tsv")
    (folder / name).write_bytes(content)
    return folder / name


def cut_array(folder):
    write_npy(folder / "t.npy", np.zeros((4, 100)))
    return array(folder, (folder / "t.npy").read_bytes()[:500])


def array_of_text(folder):
    write_npy(folder / "t.npy", np.array([["a", "b"]] * 4))
    write_names(folder / "t.tsv")
    return folder / "t.npy"


def latin_names(folder):
    write_npy(folder / "t.npy")
    (folder / "t.tsv").write_bytes(b"a\nb\ncaf\xe9\nd\n")
    return folder / "t.npy"


def tokenizer(folder, content):
    (folder / "tokenizer.json").write_text(content)
    write_hugging_face(folder)
    return folder


def junk_tensors(folder):
    write_names(folder / "vocab.txt")
    (folder / "model.safetensors").write_bytes(b"junk junk junk")
    return folder


def checkpoint(folder, save):
    save(folder / "c.pt")
    return folder / "c.pt"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda f: array(f, b"junk"), r"t\.npy is not a whole array"),
        (lambda f: array(f, b""), r"t\.npy is not a whole array"),
        (cut_array, r"t\.npy is not a whole array"),
        (array_of_text, r"t\.npy is not a whole array of numbers"),
        (lambda f: array(f, b"junk", "t.npy.gz"), r"t\.npy\.gz is not a whole array"),
        (
            lambda f: array(f, gzip.compress(bytes(999))[:-9], "t.npy.gz"),
            r"t\.npy\.gz is not a whole array",
        ),
        (latin_names, r"t\.tsv is not UTF-8 text"),
        (lambda f: tokenizer(f, "{"), r"tokenizer\.json is not a tokenizer"),
        (lambda f: tokenizer(f, "[]"), r"tokenizer\.json is not a tokenizer"),
        (
            lambda f: tokenizer(
                f, json.dumps({"model": {"vocab": {"a": 0}}, "added_tokens": [{}]})
            ),
            r"tokenizer\.json is not a tokenizer .*KeyError: 'content'",
        ),
        (junk_tensors, r"model\.safetensors is not a whole safetensors file"),
        (
            lambda f: checkpoint(f, lambda path: path.write_bytes(b"junk")),
            r"c\.pt is not a checkpoint of fairseq",
        ),
        (
            lambda f: checkpoint(f, lambda path: torch.save({"a": 1}, path)),
            r"c\.pt is not a checkpoint of fairseq",
        ),
    ],
)
def test_a_broken_file_is_named(tmp_path, make, message):
    with pytest.raises(ValueError, match=message):
        read_teacher(str(make(tmp_path)))


def test_the_array_itself_is_missed_first(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no such file or directory: .*gone\.npy"):
        read_teacher(str(tmp_path / "gone.npy"))
