"""Mistakes in a grid are one sentence that lists what is valid."""

import re

import pytest

from fairseq_bytefusion.text import UNITS
from scripts.experiments.grid.config import read_grid, unit_names
from scripts.experiments.kinds import KINDS

from ..helpers import REPO
from .helpers import build, changed, grid_of

SMOKE = grid_of("smoke")
MANY = "experiments/many_to_one"
ZERO = "experiments/transfer_zero_shot"
FEW = "experiments/transfer_few_shot"
DOMAINS = "experiments/cross_domain"
SWEEP = "experiments/sweep"
WORDS = "experiments/composers"
TABLES = "experiments/embedding_approximation"
CHARACTERS = "experiments/characters"
OWN_MODELS = {
    "source": "hi",
    "target": "en",
    "train": "first",
    "tests": ["first"],
    "systems": {"byte_dense": [1]},
    "updates": 8,
    "save_every": 4,
}


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
        (f"{DOMAINS}/tests", [], "cross_domain: tests is empty"),
        (f"{DOMAINS}/tests", ["third"], "cross_domain: there is no dataset 'third'"),
        (f"{DOMAINS}/updates", 8, "cross_domain: updates is that of models: leave it out"),
        (f"{DOMAINS}/save_every", 8, "cross_domain: save_every is that of models: leave"),
        (f"{DOMAINS}/max_bytes", 8, "cross_domain: max_bytes is that of models: leave it"),
        (
            f"{DOMAINS}/models",
            "cross_domain/hi",
            "cross_domain is no experiment of this pr",
        ),
        (f"{DOMAINS}/models", "hi", "models must be an experiment and a setting of it, s"),
        (f"{DOMAINS}/models", "x/hi", "models: x is no experiment of this profile that tr"),
        (f"{DOMAINS}/systems", {"byte_dense": [1, 2]}, "seed 2 has no model in transfer_z"),
        (f"{DOMAINS}/models", None, "updates must be at least 1, not 0"),
        (DOMAINS, OWN_MODELS, "train and tests may name first once only"),
        (DOMAINS, {**OWN_MODELS, "train": ""}, "cross_domain: the key train is missing"),
        (f"{FEW}/sizes", [20, 0], "transfer_few_shot: sizes must be at least 1"),
        (f"{FEW}/systems", {"byte_dense": [1, 1]}, "byte_dense may name 1 once only"),
        (f"{FEW}/patience", -1, "transfer_few_shot: patience must not be below 0"),
        (f"{FEW}/start", "many_to_one", "start: many_to_one is no zero-shot experiment"),
        (f"{ZERO}/max_bytes", -1, "transfer_zero_shot: max_bytes must not be below 0"),
        (f"{MANY}/kind", "many", "many_to_one: there is no kind 'many'; choose from many_"),
        (f"{SWEEP}/like", "sweep/lr_0.004", "like: sweep is no experiment of this profile"),
        (f"{SWEEP}/values", {}, "sweep: values is empty"),
        (f"{SWEEP}/values", {"lr": [1, 1]}, "values: lr may name 1 once only"),
        (f"{SWEEP}/values", {"--lr": [1]}, "values: write lr, without dashes"),
        (f"{SWEEP}/values", {"lr": []}, "values: lr needs a list, such as [0, 0.1]"),
        (f"{SWEEP}/values", {"lr": [True]}, "values: lr: True is no number or text"),
        (f"{WORDS}/misspelt", 0.0, "misspelt must lie above 0 and not above 1, not 0.0"),
        (f"{WORDS}/tests", ["first"], "tests are those of its data set: leave it out"),
        (
            f"{WORDS}/checkpoints",
            {},
            "char2subword_learned needs a model for {word_table}: say under checkpoints",
        ),
        (
            f"{WORDS}/checkpoints/word_table",
            "x/y",
            "checkpoints: word_table: there is no experiment 'x'; choose from many_to_one",
        ),
        (
            f"{WORDS}/checkpoints/bilm",
            "sweep/x",
            "checkpoints: bilm: no flags of this experiment have {bilm}",
        ),
        (f"{TABLES}/updates", 8, "updates and save_every are those of a table"),
        (f"{CHARACTERS}/systems", {}, "characters: systems is empty"),
        (f"{CHARACTERS}/systems", {"a": "'"}, "systems: a: No closing quotation in"),
        (f"{CHARACTERS}/train", [], "characters: train names no file"),
        (f"{CHARACTERS}/updates", 3, "updates 3 must be a multiple of save_every 2"),
        ("experiments/bert/updates", 4, "bert: give --updates in systems"),
        ("experiments/bert/flags", "--lr 1", "bert: give all flags in systems"),
        (f"{TABLES}/tables", {}, "embedding_approximation: tables is empty"),
        (f"{TABLES}/tables/sample", {}, "tables: sample: the key updates is missing"),
        (f"{TABLES}/tables/sample/model", "composers/x", "needs one of path and model"),
        (f"{TABLES}/tables/hybrid/model", "x/y", "x/y is the run of no experiment of this"),
        (
            f"{TABLES}/tables/sample/losses",
            ["ce+x"],
            "the loss ce+x must be made of ce,",
        ),
        (f"{TABLES}/tables/sample/losses", ["cos+ce"], "made of ce, cos, l2, nbr, in this"),
        (f"{TABLES}/tables/sample/losses", ["ce", "ce"], "losses may name ce once only"),
        (f"{TABLES}/tables/sample/flags", "'", "sample: flags: No closing quotation in "),
        (f"{TABLES}/tables/sample/losses", [], "tables: sample: losses is empty"),
        (
            f"{TABLES}/tables/sample/noise_prob",
            [2],
            "noise_prob 2 must lie between 0 and",
        ),
        (
            f"{TABLES}/tables/sample/updates",
            3,
            "updates 3 must be a multiple of save_ev",
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


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            f"{TABLES}/tables/hybrid/model",
            "composers/all/mixture_hybrid/seed2",
            "tables: hybrid: model: there is no run 'composers/all/mixture_hybrid/seed2'; "
            "choose from composers/all/byte_dense/seed1, composers/all/mixture_hybrid/see",
        ),
        (f"{TABLES}/tables/hybrid/model", "composers", "there is no run 'composers'; ch"),
        (
            f"{WORDS}/checkpoints/word_table",
            "embedding_approximation/hybrid/ce+cos/seed1",
            "composers: checkpoints: word_table: there is no run 'embedding_approximation/",
        ),
        (
            f"{TABLES}/tables/hybrid/model",
            "cross_domain/hi/char/seed1",
            "there is no run 'cross_domain/hi/char/seed1'; choose from ",
        ),
        (f"{SWEEP}/values", {"lr": ["a/b"]}, "sweep: lr_a/b: no name may contain a slash"),
        (
            f"{TABLES}/tables/sample/noise_prob",
            [0.5, 0.5],
            "embedding_approximation: sample-noise_0.5 is there twice: name it once",
        ),
    ],
)
def test_a_mistake_that_the_plan_finds(path, value, message):
    with pytest.raises(ValueError) as error:
        build(changed(SMOKE, path, value))
    assert message in str(error.value)


@pytest.mark.parametrize("profile", ["smoke", "small", "paper"])
def test_profiles_are_valid(profile):
    plan, _ = build(grid_of(profile))
    assert plan.grid.profile == profile


def test_the_smoke_profile_has_every_kind():
    kinds = {type(e) for e in read_grid(SMOKE).experiments.values()}
    assert kinds == set(KINDS.values())


def test_the_engine_knows_no_kind_by_name():
    folder = REPO / "scripts/experiments"
    code = [p for p in folder.rglob("*") if p.suffix in (".py", ".smk", ".j2")]
    names = re.compile("|".join(rf"[\"'.]{name}\b" for name in KINDS))
    found = [p for p in code if p.parent.name != "kinds" and names.search(p.read_text())]
    assert found == []


def test_an_unknown_setting_is_named():
    with pytest.raises(ValueError, match="there is no setting 'hx'; choose from hi"):
        build(changed(SMOKE, f"{DOMAINS}/models", "transfer_zero_shot/hx"))


def test_flags_of_a_system_are_its_own_and_the_profiles():
    wide = {"byte_wsf_one_hot": "--encoder-embed-dim 264 --decoder-embed-dim 264"}
    grid = read_grid(changed(SMOKE, "system_flags", wide))
    assert grid.flags_of("byte_wsf_one_hot")[:2] == ["--encoder-embedder", "one-hot"]
    assert grid.flags_of("byte_wsf_one_hot")[-2:] == ["--decoder-embed-dim", "264"]
    assert grid.flags_of("byte_dense") == []


def test_units_are_those_of_the_package():
    assert unit_names() == list(UNITS)
