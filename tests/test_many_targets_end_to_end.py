"""Several targets with tags: train, validate each pair, translate into one or all."""

import re

import pytest

from fairseq_bytefusion.generation import ByteTranslator

from .helpers import REPO, TRAIN_FLAGS, bytefusion, failing, fairseq, train, write_pair
from .test_end_to_end import assert_same_parameters, train_with_two_workers
from .test_many_to_one_end_to_end import hypotheses

pytestmark = pytest.mark.long

SIZES = {"de": 60, "fr": 9}
TASK = ("--task", "byte_translation", "-s", "en")
MIXED = ("-s", "en", "-t", "de,fr", "--sampling-temperature", "5", "--target-tag")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The same sentences; their translations differ."""
    folder = tmp_path_factory.mktemp("targets")
    for lang, size in SIZES.items():
        for split, start, count in (("train", 0, size), ("valid", 0, 4), ("test", 2, 5)):
            sources = [
                f"{chr(97 + i % 9) * (1 + i % 4)}" for i in range(start, start + count)
            ]
            targets = [s.upper() if lang == "de" else s[::-1] + "?" for s in sources]
            write_pair(folder, split, sources, targets, "en", lang)
    return folder


@pytest.fixture(scope="module")
def trained(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    result = train(
        data, folder, *MIXED, "--max-update", "80", "--save-interval-updates", "70",
        "--no-epoch-checkpoints", "--eval-bleu",
        "--eval-bleu-args", '{"beam": 1, "max_len_b": 10}',
        "--best-checkpoint-metric", "bleu", "--maximize-best-checkpoint-metric",
    )  # fmt: skip
    return folder / "checkpoint_last.pt", result.stdout.decode()


@pytest.fixture(scope="module")
def generated(data, trained):
    """Language or languages -> what fairseq-generate prints."""
    return {
        langs: fairseq(
            "generate", data, *TASK, "-t", langs, "--path", trained[0]
        ).stdout.decode()
        for langs in ("de", "fr", "de,fr")
    }


def test_each_pair_is_validated(trained):
    log = trained[1]
    assert "train: an epoch has 41 sentences of en-de, 59.4%, from 60" in log
    lines = re.findall(r"valid on 'valid' subset.*", log)
    for key in ("loss", "bleu", "loss_en-de", "loss_en-fr", "bleu_en-de", "bleu_en-fr"):
        assert re.search(rf"\| {key} [0-9.]+ ", lines[-1]), key
    assert "best_bleu" in lines[-1]


def test_the_target_is_chosen_at_generation(generated):
    found = {langs: hypotheses(log) for langs, log in generated.items()}
    assert found["de,fr"] == found["de"] + found["fr"]
    assert sum(a != b for a, b in zip(found["de"], found["fr"])) >= 3
    for log in generated.values():
        assert "language" not in "".join(re.findall(r"^[DHT]-.*", log, re.MULTILINE))


def test_all_ways_to_translate_into_one_language_agree(data, trained, generated):
    expected = hypotheses(generated["fr"])
    source = (data / "test.en-fr.en").read_bytes()
    result = fairseq("interactive", data, *TASK, "-t", "fr", "--path", trained[0],
                     stdin=source)  # fmt: skip
    assert hypotheses(result.stdout.decode()) == expected
    translator = ByteTranslator.from_pretrained(trained[0], target_lang="fr")
    lines = source.decode().split("\n")[:-1]
    found = translator.translate(lines, progress=False)
    assert [t.text for t in found] == expected
    result = bytefusion("translate", trained[0], "-t", "fr", stdin=source, cwd=REPO)
    assert result.stdout.decode().split("\n")[:-1] == expected
    scored = translator.score(lines, expected, progress=False, alignments=True)
    for translation, own in zip(found, scored):
        assert own.score == pytest.approx(translation.score, abs=1e-4)
        assert own.log_probability == pytest.approx(translation.log_probability, abs=1e-3)
    aligned = translator.translate(lines, progress=False, alignments=True)
    assert [t.alignment for t in aligned] == [t.alignment for t in scored]
    begun = translator.translate(["aa"], prefix=["xy"], progress=False)
    assert begun[0].text.startswith("xy")


def test_references_are_scored_as_the_translator_scores_them(data, trained):
    result = fairseq("generate", data, *TASK, "-t", "de", "--path", trained[0],
                     "--score-reference")  # fmt: skip
    theirs = dict(re.findall(r"^H-(\d+)\t([-0-9.e]+)\t", result.stdout.decode(), re.M))
    sources, targets = (
        (data / f"test.en-de.{lang}").read_text().split("\n")[:-1] for lang in ("en", "de")
    )
    translator = ByteTranslator.from_pretrained(trained[0], target_lang="de")
    found = translator.score(sources, targets, progress=False)
    for i, translation in enumerate(found):
        assert translation.score * 1.4427 == pytest.approx(float(theirs[str(i)]), abs=1e-3)


def test_a_target_must_be_chosen_and_known(data, trained):
    result = bytefusion("translate", trained[0], stdin=b"a\n", check=False)
    assert result.returncode != 0
    assert b"(de, fr): choose one to translate into with --target-lang" in result.stderr
    result = bytefusion("translate", trained[0], "-t", "ru", stdin=b"a\n", check=False)
    assert b"target tags for de, fr, and there is none for ru" in result.stderr
    output = failing("generate", data, *TASK, "-t", "ru", "--path", trained[0])
    assert "there is none for ru: choose one of these as --target-lang" in output
    output = failing("train", data, *TRAIN_FLAGS, "-s", "en", "-t", "de,fr")
    assert "add --target-tag" in output


def test_an_average_and_what_is_said_of_it_know_the_tags(data, trained, tmp_path):
    inputs = sorted(trained[0].parent.glob("checkpoint*.pt"))
    bytefusion("average", *inputs, "--output", tmp_path / "average.pt")
    result = bytefusion("translate", tmp_path / "average.pt", "-t", "de", stdin=b"a\n")
    assert result.stdout.count(b"\n") == 1
    result = bytefusion("inspect", tmp_path / "average.pt")
    assert b"en into de,fr, target tags" in result.stdout


def test_a_training_in_two_parts_equals_a_whole_one(data, tmp_path):
    flags = (*MIXED, "--no-epoch-checkpoints")
    train(data, tmp_path / "whole", "--max-update", "12", *flags)
    train(data, tmp_path / "parts", "--max-update", "5", *flags)
    train(data, tmp_path / "parts", "--max-update", "12", *flags)
    last = "checkpoint_last.pt"
    assert_same_parameters(tmp_path / "whole" / last, tmp_path / "parts" / last, 0)


def test_two_workers_equal_one(data, tmp_path):
    flags = [
        *(*MIXED, "--max-update", "8", "--dropout", "0", "--no-epoch-checkpoints"),
        *("--max-tokens", "10000", "--batch-size", "7", "--batch-size-valid", "3"),
        *("--eval-bleu", "--eval-bleu-args", '{"beam": 1, "max_len_b": 10}'),
    ]
    train(data, tmp_path / "one", *flags, "--update-freq", "2")
    train_with_two_workers(data, tmp_path / "two", *flags)
    last = "checkpoint_last.pt"
    assert_same_parameters(tmp_path / "one" / last, tmp_path / "two" / last, 1e-5)


@pytest.mark.parametrize(
    "flags",
    [
        ("--decoder-embedder", "one-hot", "--decoder-embed-dim", "264"),
        ("--decoder-fusion", "msc"),
        ("--encoder-fusion", "wsf", "--source-tag"),
        ("--decoder-attention", "fused"),
    ],
)
def test_kinds_of_models_have_tags(data, flags, tmp_path):
    train(data, tmp_path, *MIXED, *flags, "--max-update", "3", "--no-epoch-checkpoints")
    last = tmp_path / "checkpoint_last.pt"
    result = fairseq("generate", data, *TASK, "-t", "de,fr", "--path", last)
    assert len(hypotheses(result.stdout.decode())) == 10
