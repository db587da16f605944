"""Bits of the references, of every unit, as fairseq's own scorer gives them."""

import pytest
import torch
from fairseq import checkpoint_utils

from fairseq_bytefusion.text import UNITS
from scripts.experiments.report.reference_bits import reference_bits

from ..helpers import fairseq, script, train, write_pair
from ..oracles import reference_bits as oracle
from .helpers import write

SOURCES = ["ab ab", "ab", "äb", "ab ab ab", "", "b"]
TARGETS = ["a b", "ä b a", "a", "b b b b b", "a", ""]
LANGS = ("-s", "xx", "-t", "en")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for split in ("train", "valid"):
        write_pair(folder, split, SOURCES[:4], TARGETS[:4])
    write_pair(folder, "test", [*SOURCES, "ab"], [*TARGETS, "a ж ж"])
    flags = (*LANGS, "--source-size", "9", "--target-size", "7")
    script("data_prep/build_vocab.py", folder, *flags)
    return folder


def scored(data, checkpoint, unit, batch, out):
    """The log of a scoring, in batches of so many sentences."""
    flags = ("--task", "byte_translation", *LANGS, "--gen-subset", "test", "--path")
    units = ("--source-unit", unit, "--target-unit", unit)
    more = ("--batch-size", batch, "--score-reference", "--beam", "3")
    result = fairseq("generate", data, *flags, checkpoint, *units, *more)
    out.write_bytes(result.stdout)
    return out


@pytest.mark.parametrize(
    ("unit", "unknown"), [("byte", 0), ("char", 2), ("sentencepiece", 2)]
)
def test_bits_of_every_unit(data, tmp_path, unit, unknown):
    units = ("--source-unit", unit, "--target-unit", unit)
    train(data, tmp_path, *LANGS, *units, "--max-update", "4", "--disable-validation")
    path = tmp_path / "checkpoint_last.pt"
    reference = data / "test.xx-en.en"
    found = [
        reference_bits(scored(data, path, unit, batch, tmp_path / "log"), reference)
        for batch in (1, 7)
    ]
    (model,), _, task = checkpoint_utils.load_model_ensemble_and_task([str(path)])
    model.eval()
    source, target = task.source_dictionary, task.target_dictionary
    with torch.no_grad():
        expected = [
            oracle.reference_bits(
                model,
                source.encode_line(line).long(),
                target.encode_line(reference_line).tolist(),
                target.eos(),
            )
            for line, reference_line in zip([*SOURCES, "ab"], [*TARGETS, "a ж ж"])
        ]
    for bits, sizes, count in found:
        assert bits.tolist() == pytest.approx(expected, rel=1e-5)
        # An end of a sentence is a byte, as it is in the file.
        assert sizes.sum() == reference.stat().st_size
        assert count == unknown
    assert unit in UNITS


def test_a_log_of_another_test_set_is_named(tmp_path):
    log = write(tmp_path / "de.log", "H-0\t-1.5\ta\nP-0\t-1.0000 -2.0000\n")
    bits, sizes, _ = reference_bits(log, write(tmp_path / "one", "ä\n"))
    assert (bits.tolist(), sizes.tolist()) == ([3.0], [3])
    with pytest.raises(ValueError, match=r"de\.log scores 1 sentences and .*two has 2"):
        reference_bits(log, write(tmp_path / "two", "a\nb\n"))
