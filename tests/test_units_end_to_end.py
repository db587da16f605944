"""Characters in, subwords out: one checkpoint, all commands, raw text on either side."""

import re
import shutil

import pytest

from fairseq_bytefusion.generation import ByteTranslator

from .helpers import REPO, USER_DIR, bytefusion, fairseq, script, train, write_pair

pytestmark = pytest.mark.long

UNITS = ("--source-unit", "char", "--target-unit", "sentencepiece")
GENERATE = ("--task", "byte_translation", "-s", "xx", "-t", "en", *UNITS, "--beam", "3")


@pytest.fixture(scope="module")
def data(toy_data, tmp_path_factory):
    """The toy data with vocabularies; one character of the test set is in none of them."""
    folder = tmp_path_factory.mktemp("units") / "data"
    shutil.copytree(toy_data, folder)
    for path in folder.glob("*.npy"):
        path.unlink()
    test = [
        (folder / f"test.xx-en.{lang}").read_text().split("\n") for lang in ("xx", "en")
    ]
    write_pair(folder, "test", [*test[0][:-1], "kal é", ""], [*test[1][:-1], "é lak", ""])
    flags = ("-s", "xx", "-t", "en", "--source-size", "40", "--target-size", "40")
    script("data_prep/build_vocab.py", folder, *flags)
    return folder


@pytest.fixture(scope="module")
def trained(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    result = train(
        data, folder, *UNITS, "--encoder-fusion", "wsf", "--fusion-layers", "1",
        "--max-update", "60", "--max-tokens", "1000", "--no-epoch-checkpoints",
        "--eval-bleu", "--eval-bleu-args", '{"beam": 1, "max_len_b": 10}',
        "--eval-bleu-print-samples", "--max-source-positions", "30",
    )  # fmt: skip
    return folder / "checkpoint_best.pt", result.stdout.decode()


@pytest.fixture(scope="module")
def generated(data, trained, tmp_path_factory):
    log = tmp_path_factory.mktemp("generated") / "log"
    result = fairseq("generate", data, *GENERATE, "--path", trained[0],
                     "--scoring", "sacrebleu", "--allow-invalid-utf8")  # fmt: skip
    log.write_bytes(result.stdout + result.stderr)
    return log


def translations(log):
    found = dict(re.findall(r"^D-(\d+)\t[^\t]*\t(.*)$", log, re.MULTILINE))
    return [found[str(i)] for i in range(len(found))]


def test_training_scores_text(data, trained):
    assert re.search(r"valid on 'valid' subset .* \| bleu [0-9.]+ ", trained[1])
    references = (data / "valid.xx-en.en").read_text().split("\n")
    shown = re.findall(r"example reference: (.*)", trained[1])
    assert shown
    assert set(shown) <= set(references)
    loss = [float(x) for x in re.findall(r"train_inner .* loss=([0-9.]+)", trained[1])]
    assert loss[-1] < 0.7 * loss[0]


def test_unknown_symbols_are_counted_by_file(data, trained, generated):
    log = generated.read_text("utf-8")
    characters = len((data / "train.xx-en.xx").read_text().replace("\n", ""))
    assert f"train.xx-en.xx: 0 of {characters} characters (0.000%) are <unk>" in trained[1]
    assert re.search(r"test\.xx-en\.xx: 1 of \d+ characters \(\d\.\d+%\) are <unk>", log)
    assert re.search(r"test\.xx-en\.en: 1 of \d+ subwords \(\d\.\d+%\) are <unk>", log)


def test_generate_shows_and_scores_text(data, generated):
    log = generated.read_text("utf-8")
    sources = (data / "test.xx-en.xx").read_text("utf-8").split("\n")[:-1]
    for i, source in enumerate(sources[:-2]):
        assert f"S-{i}\t{source}\nT-{i}\t{source[::-1]}\n" in log
    assert "S-8\tkal <unk>\nT-8\t<<unk>> lak\n" in log
    assert re.search(r"^D-9\t-?0\.0\t$", log, re.MULTILINE)
    result = bytefusion("score", "--hyp", generated, cwd=USER_DIR.parent)
    assert "1 of 10 references hold <<unk>>" in result.stderr.decode()
    result = bytefusion(
        "score", "--hyp", generated, "--ref", data / "test.xx-en.en", cwd=USER_DIR.parent
    )
    assert b"<<unk>>" not in result.stderr
    assert float(re.search(r"chrF2 = ([0-9.]+)", result.stdout.decode())[1]) > 20


def test_interactive_and_translate_give_the_same(data, trained, generated):
    source = (data / "test.xx-en.xx").read_bytes()
    expected = translations(generated.read_text("utf-8"))
    result = fairseq("interactive", data, *GENERATE, "--path", trained[0], stdin=source)
    assert translations(result.stdout.decode()) == expected
    assert "S-8\tkal <unk>\n" in result.stdout.decode()
    result = bytefusion("translate", trained[0], "--beam", "3", stdin=source, cwd=REPO)
    assert result.stdout.decode().split("\n")[:-1] == expected


def test_where_translate_finds_the_vocabularies(data, trained, tmp_path):
    expected = ByteTranslator.from_pretrained(trained[0]).translate(["kal do"])[0].text
    # The directory of training is gone: they must be given, or lie beside the checkpoint.
    path = shutil.copy(trained[0], tmp_path / "model.pt")
    away = shutil.move(data, tmp_path / "away")
    try:
        with pytest.raises(FileNotFoundError) as error:
            ByteTranslator.from_pretrained(path)
        for part in ("dict.char.xx.txt and spm.en.model", str(data), str(tmp_path)):
            assert part in str(error.value)
        result = bytefusion("translate", path, "--data", away, stdin=b"kal do\n", cwd=REPO)
        assert result.stdout.decode() == expected + "\n"
        for name in ("dict.char.xx.txt", "spm.en.model"):
            shutil.copy(f"{away}/{name}", tmp_path)
        translator = ByteTranslator.from_pretrained(path)
        assert translator.translate(["kal do"])[0].text == expected
        (tmp_path / "dict.char.xx.txt").write_text("a 1\nb 1\n")
        with pytest.raises(RuntimeError, match="is not the vocabulary it was trained with"):
            ByteTranslator.from_pretrained(path)
    finally:
        shutil.move(away, data)


def test_inspect_names_the_units(trained):
    result = bytefusion("inspect", trained[0], cwd=REPO)
    assert b"units char / sentencepiece, xx into en" in result.stdout


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (GENERATE[:6], "trained with --source-unit char, and this is --source-unit byte"),
        (GENERATE[:8], "--target-unit sentencepiece, and this is --target-unit byte"),
    ],
)
def test_forgotten_units_are_named(data, trained, flags, message):
    result = fairseq("generate", data, *flags, "--path", trained[0], check=False)
    last = result.stderr.decode().strip().split("\n")[-1]
    assert result.returncode
    assert f"{trained[0]} (task byte_translation" in last
    assert message in last
