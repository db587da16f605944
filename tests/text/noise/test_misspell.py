import random
import subprocess
import sys
from collections import Counter

import pytest

from fairseq_bytefusion.text.noise.keyboards import LAYOUTS, neighbours
from fairseq_bytefusion.text.noise.misspell import (
    LONGEST_KEPT,
    OPERATIONS,
    PUNCTUATION,
    misspell,
    misspell_entry,
)

# (operation, word, position) -> every outcome that may be.
TABLE = [
    ("repeat", "business", 2, ["bussiness"]),
    ("repeat", "नमस्ते", 5, ["नमस्तेे"]),
    ("swap", "business", 0, ["ubsiness"]),
    ("swap", "business", 1, ["bsuiness"]),
    ("swap", "business", 7, ["business"]),  # two equal letters
    ("swap", "привет", 5, ["привте"]),
    ("drop", "business", 0, ["usiness"]),
    ("drop", "business", 7, ["busines"]),
    ("drop", "मौसम", 1, ["मसम"]),
    ("toggle", "business", 0, ["Business"]),
    ("toggle", "BUSINESS", 3, ["BUSiNESS"]),
    ("toggle", "Привет", 0, ["привет"]),
    ("toggle", "नमस्ते", 0, ["नमस्ते"]),
    ("toggle", "route66", 5, ["route66"]),
    ("punct", "business", 3, [f"bus{mark}iness" for mark in PUNCTUATION]),
    ("punct", "business", 0, [f"{mark}business" for mark in PUNCTUATION]),
    ("mistype", "people", 0, [f"{key}eople" for key in "oölüm"]),
    ("mistype", "Quiet", 0, [f"{key}uiet" for key in "WAZS"]),
    ("mistype", "привет", 0, [f"{key}ривет" for key in "енарми"]),
    ("mistype", "بيت", 0, [f"{key}يت" for key in "قفيلؤر"]),
    ("mistype", "कमल", 0, [f"{key}मल" for key in "गदरतस"]),
    ("mistype", "खमल", 0, [f"{key}मल" for key in "घधऱथशष"]),
    ("mistype", "route66", 6, ["route66"]),
    ("mistype", "世界你好吗", 2, ["世界你好吗"]),
]


@pytest.mark.parametrize(("operation", "word", "position", "expected"), TABLE)
def test_operation(operation, word, position, expected):
    found = {OPERATIONS[operation](word, position, random.Random(i)) for i in range(300)}
    assert found == set(expected)


def test_every_operation_is_in_the_table():
    assert {row[0] for row in TABLE} == set(OPERATIONS)


@pytest.mark.parametrize(
    ("character", "layout", "expected"),
    [
        ("s", "qwerty", "weadzx"),
        ("s", "azerty", "zeqdwx"),
        ("s", "qwertz", "weadyx"),
        ("y", "qwerty", "tugh"),
        ("y", "qwertz", "asx"),
        ("q", "qwerty", "wa"),
        ("Q", "azerty", "AZSW"),
        ("в", "russian", "укыачс"),
        ("ن", "arabic", "خهتمةو"),
        ("क", "inscript", "गदरतस"),
    ],
)
def test_keys_that_touch(character, layout, expected):
    assert sorted(neighbours(character)[layout]) == sorted(expected)


def test_touching_goes_both_ways():
    for rows in LAYOUTS.values():
        for key in " ".join(rows).replace("_", "").split():
            for layout, others in neighbours(key).items():
                assert others
                assert all(key in neighbours(other)[layout] for other in others)


@pytest.mark.parametrize("character", ["1", "ß", "世", "-", "İ", "😀"])
def test_characters_on_no_keyboard(character):
    assert neighbours(character) == {}


@pytest.mark.parametrize("word", ["", "a", "kal", "four", "दिन"])
def test_short_words_are_kept(word):
    assert len(word) <= LONGEST_KEPT
    assert {misspell(word, random.Random(i)) for i in range(50)} == {word}


BY_EPOCH = {1: "busi?ness", 2: "businness", 6: "buusiness", 7: "busienss", 8: "busIness"}


@pytest.fixture(scope="module")
def printed():
    """Epoch -> the entry that another process makes of "business"."""
    code = (
        "from fairseq_bytefusion.text.noise.misspell import misspell_entry\n"
        f"for epoch in {list(BY_EPOCH)}:\n"
        "    print(misspell_entry('business', 1.0, 7, epoch, 3))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    return dict(zip(BY_EPOCH, result.stdout.decode().split()))


@pytest.mark.parametrize(("epoch", "expected"), BY_EPOCH.items())
def test_entry_is_the_same_in_every_process(printed, epoch, expected):
    assert printed[epoch] == expected
    assert misspell_entry("business", 1.0, 7, epoch, 3) == expected


def test_how_often_entries_change():
    words = [misspell_entry("abcdefgh", 0.5, 1, 1, i) for i in range(2000)]
    assert 0.45 < 1 - words.count("abcdefgh") / 2000 < 0.55
    lengths = Counter(map(len, words))
    # A sixth of the changes each: one fewer (drop), one more (repeat, punct).
    assert 120 < lengths[7] < 215
    assert 260 < lengths[9] < 410


def test_every_epoch_and_entry_has_noise_of_its_own():
    by_epoch = {misspell_entry("abcdefgh", 1.0, 1, epoch, 0) for epoch in range(50)}
    by_entry = {misspell_entry("abcdefgh", 1.0, 1, 1, entry) for entry in range(50)}
    by_seed = {misspell_entry("abcdefgh", 1.0, seed, 1, 0) for seed in range(50)}
    assert min(map(len, (by_epoch, by_entry, by_seed))) > 25
