"""Several sources with tags: train, validate each pair, translate one or all."""

import re

import pytest

from fairseq_bytefusion.generation import ByteTranslator

from .helpers import REPO, bytefusion, fairseq, train, write_pair
from .test_end_to_end import assert_same_parameters, train_with_two_workers

pytestmark = pytest.mark.long

SIZES = {"de": 60, "fr": 9}
TASK = ("--task", "byte_translation", "-t", "en")
MIXED = ("-s", "de,fr", "-t", "en", "--sampling-temperature", "5", "--source-tag")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The same sentences in both languages; their translations differ."""
    folder = tmp_path_factory.mktemp("several")
    for lang, size in SIZES.items():
        for split, start, count in (("train", 0, size), ("valid", 0, 4), ("test", 2, 5)):
            sources = [
                f"{chr(97 + i % 9) * (1 + i % 4)}" for i in range(start, start + count)
            ]
            targets = [s.upper() if lang == "de" else s[::-1] + "?" for s in sources]
            write_pair(folder, split, sources, targets, src=lang)
    return folder


@pytest.fixture(scope="module")
def trained(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    result = train(
        data, folder, *MIXED, "--max-update", "80", "--no-epoch-checkpoints",
        "--eval-bleu", "--eval-bleu-args", '{"beam": 1, "max_len_b": 10}',
        "--best-checkpoint-metric", "chrf", "--maximize-best-checkpoint-metric",
    )  # fmt: skip
    return folder / "checkpoint_last.pt", result.stdout.decode()


def hypotheses(log):
    found = dict(re.findall(r"^D-(\d+)\t[^\t]*\t(.*)$", log, re.MULTILINE))
    return [found[str(i)] for i in range(len(found))]


@pytest.fixture(scope="module")
def translations(data, trained):
    """Language or languages -> what fairseq-generate gives."""
    found = {}
    for langs in ("de", "fr", "de,fr"):
        result = fairseq("generate", data, *TASK, "-s", langs, "--path", trained[0])
        found[langs] = hypotheses(result.stdout.decode())
    return found


def test_each_pair_is_validated(trained):
    log = trained[1]
    assert "train: an epoch has 41 sentences of de-en, 59.4%, from 60" in log
    lines = re.findall(r"valid on 'valid' subset.*", log)
    for name in ("loss", "bleu", "chrf"):
        for key in (name, f"{name}_de-en", f"{name}_fr-en"):
            assert re.search(rf"\| {key} [0-9.]+ ", lines[-1]), key
    assert "best_chrf" in lines[-1]
    assert "_size" not in lines[-1]
    assert "_sums" not in lines[-1]


def test_the_tag_chooses_the_translation(translations):
    assert translations["de,fr"] == translations["de"] + translations["fr"]
    assert sum(a != b for a, b in zip(translations["de"], translations["fr"])) >= 3


def test_all_ways_to_translate_one_language_agree(data, trained, translations):
    source = (data / "test.fr-en.fr").read_bytes()
    result = fairseq("interactive", data, *TASK, "-s", "fr", "--path", trained[0],
                     stdin=source)  # fmt: skip
    assert hypotheses(result.stdout.decode()) == translations["fr"]
    translator = ByteTranslator.from_pretrained(trained[0], source_lang="fr")
    lines = source.decode().split("\n")[:-1]
    found = [t.text for t in translator.translate(lines, progress=False)]
    assert found == translations["fr"]
    result = bytefusion("translate", trained[0], "-s", "fr", stdin=source, cwd=REPO)
    assert result.stdout.decode().split("\n")[:-1] == translations["fr"]
    result = bytefusion("translate", trained[0], stdin=source, cwd=REPO, check=False)
    assert result.returncode == 1
    assert result.stderr.decode().strip().split("\n")[-1] == (
        "bytefusion translate: the model marks its source languages (de, fr): choose that "
        "of these lines with --source-lang"
    )
    result = bytefusion("inspect", trained[0], cwd=REPO)
    assert b"units byte / byte, de,fr into en, source tags" in result.stdout


def test_resuming_within_an_epoch_equals_training_in_one_go(data, tmp_path):
    flags = (*MIXED, "--no-epoch-checkpoints", "--disable-validation", "--max-tokens", "60")
    train(data, tmp_path / "whole", "--max-update", "14", *flags)
    first = train(data, tmp_path / "parts", "--max-update", "8", *flags)
    assert b"begin training epoch 2" not in first.stdout
    second = train(data, tmp_path / "parts", "--max-update", "14", *flags)
    assert b"begin training epoch 2" in second.stdout
    last = "checkpoint_last.pt"
    assert_same_parameters(tmp_path / "whole" / last, tmp_path / "parts" / last, 0)


def test_two_workers_equal_one(data, tmp_path):
    flags = [
        *(*MIXED, "--max-update", "8", "--dropout", "0", "--no-epoch-checkpoints"),
        *("--max-tokens", "10000", "--batch-size", "7", "--batch-size-valid", "3"),
        *("--eval-bleu", "--eval-bleu-args", '{"beam": 1, "max_len_b": 10}'),
    ]
    one = train(data, tmp_path / "one", *flags, "--update-freq", "2")
    first, _ = train_with_two_workers(data, tmp_path / "two", *flags)
    validations = []
    for result in (one, first):
        lines = re.findall(r"valid on 'valid' subset.*", result.stdout.decode())
        metrics = r"\| ((?:loss|bleu|chrf)\S*) ([0-9.]+)"
        validations.append([dict(re.findall(metrics, line)) for line in lines])
    assert len(validations[0]) == len(validations[1]) > 1
    for alone, together in zip(*validations):
        assert alone.keys() == together.keys()
        assert {"loss_de-en", "bleu_fr-en", "chrf", "chrf_fr-en"} <= alone.keys()
        for key in alone:
            assert float(alone[key]) == pytest.approx(float(together[key]), abs=2e-3), key
    last = "checkpoint_last.pt"
    assert_same_parameters(tmp_path / "one" / last, tmp_path / "two" / last, 1e-5)
