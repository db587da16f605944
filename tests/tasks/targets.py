"""Pairs of two sources and two targets, and tasks over them."""

from ..helpers import write_pair
from .running import make_task

SIZES = {("en", "de"): 40, ("en", "fr"): 12, ("hi", "de"): 9, ("hi", "fr"): 7}
TAGS = {"de": 260, "fr": 261}


def write_pairs(folder):
    """The files of every pair."""
    for (src, tgt), size in SIZES.items():
        for split, count in (("train", size), ("valid", size // 4), ("test", 3)):
            lines = [f"{src} {i} {'word ' * (i % 4)}end" for i in range(count)]
            write_pair(folder, split, lines, [f"{tgt} {t}" for t in lines], src, tgt)
    return folder


def several(data, **options):
    languages = {"source_lang": "en,hi", "target_lang": "de,fr"}
    options = {"target_tag": True, "sampling_temperature": 5, **languages, **options}
    return make_task(data, **options)


def single(data, **options):
    return several(data, **{"source_lang": "en", "target_lang": "de", **options})
