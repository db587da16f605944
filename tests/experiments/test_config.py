"""Mistakes in a grid are one sentence that lists what is valid."""

import pytest

from fairseq_bytefusion.text import UNITS
from scripts.experiments.grid.config import read_grid, unit_names
from scripts.experiments.kinds import KINDS

from .helpers import changed, grid_of

SMOKE = grid_of("smoke")
MANY = "experiments/many_to_one"
ZERO = "experiments/transfer_zero_shot"
FEW = "experiments/transfer_few_shot"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            "max_token",
            5,
            "grid: there is no key 'max_token'; choose from profile, data_",
        ),
        ("work", None, "grid: the key work is missing"),
        ("max_tokens", "4k", "grid: max_tokens must be of type int; it is '4k'"),
        ("average", True, "grid: average must be of type int; it is True"),
        ("datasets", {}, "datasets: must be a mapping of names; it is {}"),
        ("datasets/first/quotes", True, "datasets: first: there is no key 'quotes'"),
        ("datasets/first/licence", None, "datasets: first: the key licence is missing"),
        ("datasets/first", "x", "datasets: first: must be a mapping of keys; it is 'x'"),
        (
            "experiments/many_to_two",
            {},
            "many_to_two: there is no kind 'many_to_two'; choose from many_to_one, ",
        ),
        (
            f"{MANY}/systems/byte",
            [1],
            "many_to_one: there is no system 'byte'; choose from subword, char",
        ),
        (f"{MANY}/systems/subword", 1, "many_to_one: subword needs a list of seeds"),
        (f"{MANY}/systems/subword", [3], "baseline byte_dense of the same seed, which has"),
        (f"{MANY}/systems/byte_dense", None, "baseline: there is no system 'byte_dense'"),
        (f"{MANY}/dataset", "third", "no dataset 'third'; choose from first, second"),
        (f"{MANY}/updates", 9, "updates 9 must be a multiple of save_every 4"),
        (f"{MANY}/save_every", 8, "fewer than the 2 checkpoints to average"),
        ("average", 0, "grid: average must be at least 1, not 0"),
        ("train_flags", "--lr '1", 'train_flags: No closing quotation in "--lr \'1"'),
        (f"{MANY}/baseline", "x", "baseline: there is no system 'x'; choose from"),
        (f"{MANY}/systems", {}, "baseline: there is no system 'byte_dense'"),
        (f"{MANY}/save_every", 0, "many_to_one: save_every must be at least 1, not 0"),
        (f"{MANY}/sampling_temperature", 0, "sampling_temperature must be above 0"),
        (f"{MANY}/sources", [], "many_to_one: sources is empty"),
        (f"{MANY}/sources", ["de", False], "sources: False is no text: YAML reads no, on"),
        (f"{MANY}/sources", ["de", "de"], "sources may name de once only"),
        (f"{MANY}/sources", ["de", "en"], "many_to_one: en is the target, no source"),
        (f"{ZERO}/pairs", {"es": "pt", "fr": "pt"}, "pairs may name pt once only"),
        (f"{ZERO}/pairs", {"es": "pt", "pt": "uk"}, "pairs may name pt once only"),
        (f"{ZERO}/pairs", {"es": False}, "pairs: False is no text"),
        (
            "experiments/cross_domain/tests",
            ["first"],
            "train and tests may name first once only",
        ),
        ("system_flags", "--dropout 0", "grid: system_flags must be of type dict"),
        (f"{MANY}/sources", "hi", "experiments: many_to_one: sources must be of type list"),
        (
            f"{MANY}/target",
            False,
            "many_to_one: target must be of type str; it is False: YAML reads no, on, yes "
            "and numbers otherwise, so put it in quotes",
        ),
        (f"{MANY}/target", 12, "target must be of type str; it is 12: YAML reads no, on"),
        ("datasets/first/licence", True, "licence must be of type str; it is True: YAML r"),
        (f"{MANY}/systems/subword", [True], "subword: True is no whole number: YAML reads"),
        (f"{MANY}/systems/subword", ["1"], "subword: '1' is no whole number: YAML reads"),
        (f"{FEW}/sizes", [True], "transfer_few_shot: sizes: True is no whole number: YAML"),
        (f"{ZERO}/systems", {False: [1]}, "systems: False is no text: YAML reads no, on"),
        ("system_flags", {"byte": "x"}, "system_flags: there is no system 'byte'"),
        ("systems", {"byte": {}}, "systems: belong into"),
        (
            "experiments/transfer_zero_shot",
            None,
            "start: transfer_zero_shot is no zero-shot experiment of this profile, whose",
        ),
        (
            "experiments/transfer_few_shot/systems",
            {"byte_dense": [1, 2]},
            "byte_dense seed 2 has no model in transfer_zero_shot: add it there",
        ),
    ],
)
def test_a_mistake_is_one_sentence(path, value, message):
    with pytest.raises(ValueError) as error:
        read_grid(changed(SMOKE, path, value))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("profile", ["smoke", "small", "paper"])
def test_profiles_are_valid_and_have_every_experiment(profile):
    grid = read_grid(grid_of(profile))
    assert grid.profile == profile
    assert grid.experiments.keys() == KINDS.keys()


def test_flags_of_a_system_are_its_own_and_the_profiles():
    wide = {"byte_wsf_one_hot": "--encoder-embed-dim 264 --decoder-embed-dim 264"}
    grid = read_grid(changed(SMOKE, "system_flags", wide))
    assert grid.flags_of("byte_wsf_one_hot")[:2] == ["--encoder-embedder", "one-hot"]
    assert grid.flags_of("byte_wsf_one_hot")[-2:] == ["--decoder-embed-dim", "264"]
    assert grid.flags_of("byte_dense") == []


def test_units_are_those_of_the_package():
    assert unit_names() == list(UNITS)
