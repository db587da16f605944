"""Models of all kinds, hardly trained."""

import shutil

from fairseq_bytefusion.generation import ByteTranslator

from ..helpers import script, train
from ..test_systems_end_to_end import COMPOSERS, FUSED, MSC, NCF, ONE_HOT, WSF

#: name -> flags of fairseq-train
KINDS = {
    "dense": [],
    "one-hot": ONE_HOT,
    "ncf": NCF,
    "wsf": WSF,
    "msc": MSC,
    "fused": FUSED,
    "char-cnn": COMPOSERS["char-cnn"],
    "mixture": COMPOSERS["hybrid"],
    "words": COMPOSERS["words"],
    "char to sentencepiece": [
        *("--source-unit", "char", "--target-unit", "sentencepiece"),
    ],
    "sentencepiece to char": [
        *("--source-unit", "sentencepiece", "--target-unit", "char"),
    ],
}


def make_vocabularies(toy_data, folder):
    """The toy data with vocabularies of all units, at ``folder``."""
    data = shutil.copytree(toy_data, folder)
    langs, sizes = ("-s", "xx", "-t", "en"), ("--source-size", "40", "--target-size", "40")
    script("data_prep/build_vocab.py", data, *langs, *sizes)
    return data


def translator_of(kind, data, folder):
    """Path and ByteTranslator of a model that has seen little and reads 40 symbols."""
    flags = ("--max-update", "3", "--no-epoch-checkpoints", "--disable-validation")
    limit = ("--max-source-positions", "40", "--max-tokens", "1000")
    train(data, folder, *flags, *limit, *KINDS[kind])
    path = folder / "checkpoint_last.pt"
    return path, ByteTranslator.from_pretrained(path, "cpu")
