"""One checkpoint, four ways to translate: all give the same."""

import logging
import math
import re
import shutil
import subprocess
import sys
import threading

import pytest
import torch

from fairseq_bytefusion.generation import ByteTranslator, Translation

from ..helpers import SENTENCES, USER_DIR, bytefusion, fairseq, train, write_pair

pytestmark = pytest.mark.long

ODD = [
    *SENTENCES,
    "a\rb",
    "a\u2028b",
    "\x85\x0b\x0c",
    "a </s> b <pad>",
    "\ufeffbom",
    "é" * 40,
]


@pytest.fixture(scope="module")
def checkpoint(toy_data, tmp_path_factory):
    """A model whose data directory is gone, and that was given no languages."""
    folder = tmp_path_factory.mktemp("model")
    data = shutil.copytree(toy_data, folder / "data")
    train(
        data, folder, "--max-update", "30", "--max-tokens", "1000",
        "--no-epoch-checkpoints", "--disable-validation", "--max-source-positions", "40",
    )  # fmt: skip
    shutil.rmtree(data)
    return folder / "checkpoint_last.pt"


@pytest.fixture(scope="module")
def translator(checkpoint):
    return ByteTranslator.from_pretrained(checkpoint, "cpu")


@pytest.fixture(scope="module")
def translations(translator):
    return translator.translate(ODD, beam=3, progress=False)


def hypotheses(result):
    """Text and score of each sentence in a log of fairseq-generate, in order."""
    pattern = re.compile(r"^D-(\d+)\t([^\t]*)\t(.*)$", re.MULTILINE)
    found = {int(i): (text, score) for i, score, text in pattern.findall(result)}
    return [found[i] for i in range(len(found))]


def test_generate_translates_the_same(checkpoint, translations, tmp_path):
    # A byte-order mark is content anywhere but at the start of a file.
    write_pair(tmp_path, "test", ODD, ODD)
    result = fairseq(
        "generate", tmp_path, "--task", "byte_translation", "-s", "xx", "-t", "en",
        "--path", checkpoint, "--beam", "3", "--max-source-positions", "40",
        "--batch-size", "4",
    )  # fmt: skip
    found = hypotheses(result.stdout.decode())
    assert [text for text, _ in found] == [t.text for t in translations]
    for (_, score), translation in zip(found, translations):
        # fairseq prints logarithms to base two, rounded.
        expected = translation.score / math.log(2)
        assert float(score) == pytest.approx(expected, abs=2e-4)


def test_interactive_translates_the_same(checkpoint, translations, toy_data):
    stripped = [i for i, line in enumerate(ODD) if line == line.strip()]
    stdin = "".join(ODD[i] + "\n" for i in stripped).encode()
    result = fairseq(
        "interactive", toy_data, "--task", "byte_translation", "-s", "xx", "-t", "en",
        "--path", checkpoint, "--beam", "3", "--max-source-positions", "40",
        "--buffer-size", "5", "--batch-size", "3", stdin=stdin,
    )  # fmt: skip
    found = [text for text, _ in hypotheses(result.stdout.decode())]
    assert found == [translations[i].text for i in stripped]


def translate(checkpoint, stdin, *args, **kwargs):
    return bytefusion(
        "translate", checkpoint, "--beam", "3", *args,
        stdin=stdin, cwd=USER_DIR.parent, **kwargs,
    )  # fmt: skip


def test_the_command_translates_the_same(checkpoint, translations):
    stdin = "\n".join(ODD).encode()  # the last line without its end
    result = translate(
        checkpoint, stdin, "--batch-size", "2",
        env={"PYTHONIOENCODING": "ascii", "LANG": "C", "PYTHONUTF8": "0"},
    )  # fmt: skip
    assert result.stdout.decode() == "".join(t.text + "\n" for t in translations)
    assert "15/15" in result.stderr.decode()
    assert "a line of 150 bytes is cut to 39" in result.stderr.decode()


def test_as_many_lines_out_as_in(checkpoint):
    for stdin, count in (
        (b"", 0), (b"\n", 1), (b"\n\n\n", 3), (b"a", 1), (b"a\r\n\r\n\rb\n", 3),
        (b"caf\xe9\n\xff\n\xe4\xb8\n", 3), (b"\xef\xbb\xbfa\n\x00\n", 2),
        (b"x\n" * 70, 70),
    ):  # fmt: skip
        result = translate(checkpoint, stdin, "--batch-size", "1", "--quiet")
        assert result.stdout.count(b"\n") == count, stdin
        assert result.stdout.decode() == "" or result.stdout.endswith(b"\n")
        assert b"sentences" not in result.stderr


def test_line_ends_and_a_byte_order_mark_are_no_content(checkpoint):
    plain = translate(checkpoint, b"kal do\nhai\n").stdout
    assert translate(checkpoint, b"\xef\xbb\xbfkal do\r\nhai").stdout == plain


def test_the_command_answers_when_the_input_pauses(checkpoint, translations):
    command = [sys.executable, "-m", "fairseq_bytefusion.cli", "translate", checkpoint]
    process = subprocess.Popen(
        [*map(str, command), "--quiet", "--beam", "3"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        cwd=USER_DIR.parent, bufsize=0,
    )  # fmt: skip
    timer = threading.Timer(120, process.kill)  # a command that waits never answers
    timer.start()
    with process:
        for sentence, expected in zip(ODD[:2], translations):
            process.stdin.write(sentence.encode() + b"\n")
            assert process.stdout.readline().decode() == expected.text + "\n"
        process.stdin.close()
    timer.cancel()
    assert process.returncode == 0


def test_a_closed_pipe_ends_quietly(checkpoint):
    command = [sys.executable, "-m", "fairseq_bytefusion.cli", "translate", checkpoint]
    process = subprocess.Popen(
        [*map(str, command), "--quiet", "--batch-size", "1", "--beam", "1"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=USER_DIR.parent,
    )  # fmt: skip
    process.stdout.close()
    process.stdin.write(b"kal\n" * 100)
    process.stdin.close()
    errors = process.stderr.read().decode()
    assert process.wait() == 141
    assert "Traceback" not in errors
    assert "roken pipe" not in errors


# --- from Python ----------------------------------------------------------------


def test_order_empty_sentences_and_alternatives(translator, translations):
    assert len(translations) == len(ODD)
    assert translations[ODD.index("")].text == ""
    best = translations[0]
    assert len(best.alternatives) == 2
    scores = [best.score, *(other.score for other in best.alternatives)]
    assert scores == sorted(scores, reverse=True)
    assert translator.translate([], progress=False) == []
    assert isinstance(best, Translation)


def test_batches_change_no_translation(translator, translations):
    for size in (1, 4):
        again = translator.translate(ODD, beam=3, batch_size=size, progress=False)
        assert [t.text for t in again] == [t.text for t in translations]
        for one, other in zip(again, translations):
            assert one.score == pytest.approx(other.score, abs=1e-4)


def test_line_ends_behind_a_sentence_are_dropped(translator):
    texts = ["kal do", "kal do\n", "kal do\r\n"]
    found = {t.text for t in translator.translate(texts, progress=False)}
    assert len(found) == 1


def test_an_over_long_sentence_is_cut_at_a_character(translator, caplog):
    with caplog.at_level(logging.WARNING):
        long, cut = translator.translate(["é" * 30, "é" * 19], progress=False)
    assert long.text == cut.text
    assert "a line of 60 bytes is cut to 39 (--max-source-positions)" in caplog.text


def test_progress_goes_to_standard_error(translator, capsys):
    translator.translate(["kal", "do"])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "2/2" in captured.err


def test_no_standard_error_means_no_progress(translator, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert len(translator.translate(["a"])) == 1


@pytest.mark.parametrize(
    ("sentences", "error", "message"),
    [
        ("kal", TypeError, "a list of str is needed, not str"),
        (["a", None], TypeError, "sentence 1 must be str, not NoneType: None"),
        ([b"a"], TypeError, "sentence 0 must be str, not bytes"),
        (["a", "a\nb"], ValueError, "sentence 1 has a line end within it"),
    ],
)
def test_what_is_no_sentence_is_refused(translator, sentences, error, message):
    with pytest.raises(error, match=message):
        translator.translate(sentences)


def test_surrogates_are_translated_as_what_they_stand_for(translator):
    found = translator.translate(
        ["😀 a", "\ud83d\ude00 a", "\ufffd", "\ud83d"], beam=2, progress=False
    )
    assert found[0] == found[1]
    assert found[2] == found[3]


@pytest.mark.parametrize("name", ["beam", "batch_size"])
@pytest.mark.parametrize("value", [True, 1.0, None])
def test_sizes_are_whole_numbers(translator, name, value):
    with pytest.raises(TypeError, match=f"{name} must be a whole number, not {value}"):
        translator.translate(["a"], **{name: value})


@pytest.mark.parametrize("name", ["beam", "batch_size"])
def test_sizes_are_at_least_one(translator, name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1, not 0"):
        translator.translate(["a"], **{name: 0})


def test_a_directory_means_its_best_checkpoint(checkpoint, translations, tmp_path):
    for name in ("checkpoint_last.pt", "checkpoint_best.pt"):
        shutil.copy(checkpoint, tmp_path / name)
        found = ByteTranslator.from_pretrained(str(tmp_path)).translate(
            ODD[:3], beam=3, progress=False
        )
        assert [t.text for t in found] == [t.text for t in translations[:3]]
    (tmp_path / "checkpoint_best.pt").write_bytes(b"broken")
    with pytest.raises(RuntimeError, match="checkpoint_best.pt cannot be read"):
        ByteTranslator.from_pretrained(tmp_path)


def test_an_ensemble(checkpoint, translations):
    found = ByteTranslator.from_pretrained(f"{checkpoint}:{checkpoint}", "cpu").translate(
        ODD[:3], beam=3, progress=False
    )
    assert [t.text for t in found] == [t.text for t in translations[:3]]


@pytest.mark.parametrize("device", ["gpu0", "cuda:99", "xla"])
def test_a_device_that_is_not_there(checkpoint, device):
    with pytest.raises(ValueError, match=f"the device {device} cannot be used: "):
        ByteTranslator.from_pretrained(checkpoint, device)


def test_a_colon_in_a_path(checkpoint, translations, tmp_path):
    path = tmp_path / "run:1" / "checkpoint:last.pt"
    path.parent.mkdir()
    shutil.copy(checkpoint, path)
    for name in (path, f"{path}:{checkpoint}"):
        found = ByteTranslator.from_pretrained(name, "cpu").translate(
            ODD[:3], beam=3, progress=False
        )
        assert [t.text for t in found] == [t.text for t in translations[:3]]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("run:1/nowhere.pt", "no such file: .*run:1/nowhere.pt"),
        ("nowhere.pt", "no such file: .*nowhere.pt"),
        ("", "no such file: .*checkpoint_best.pt, nor .*checkpoint_last.pt"),
        ("broken.pt", "broken.pt cannot be read as a fairseq checkpoint"),
        ("words.pt", "words.pt is of the task translation: only a model of the task"),
    ],
)
def test_a_wrong_checkpoint_is_one_clear_line(checkpoint, tmp_path, name, message):
    (tmp_path / "broken.pt").write_bytes(checkpoint.read_bytes()[:1000])
    state = torch.load(checkpoint, map_location="cpu", weights_only=False)
    state["cfg"]["task"] = {**state["cfg"]["task"], "_name": "translation"}
    torch.save(state, tmp_path / "words.pt")
    result = translate(tmp_path / name, b"a\n", check=False)
    assert result.returncode == 1
    assert result.stdout == b""
    last = result.stderr.decode().strip().split("\n")[-1]
    assert re.match(f"bytefusion translate: .*{message}", last)
