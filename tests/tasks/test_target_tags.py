"""Tags of targets: what a checkpoint knows of them, and bad input."""

import pytest

from ..helpers import write_pair
from .targets import SIZES, TAGS, several, single, write_pairs
from .test_many_to_one import build_model


@pytest.fixture()
def data(tmp_path):
    return write_pairs(tmp_path)


def test_the_order_of_targets_does_not_change_the_tags(data):
    for langs in ("de,fr", "fr,de"):
        task = several(data, target_lang=langs, source_tag=True)
        assert task.tgt_dict.tags == TAGS
        assert task.src_dict.tags == {"en": 260, "hi": 261}
        state = task.state_dict()
        assert state["target_tags"] == ["de", "fr"]
        assert state["source_tags"] == ["en", "hi"]


def test_pairs_are_those_of_all_sources_and_targets(data):
    assert several(data).language_pairs == ["en-de", "en-fr", "hi-de", "hi-fr"]
    assert single(data).language_pairs == []
    task = several(data)
    task.load_dataset("valid")
    assert task.dataset("valid").parts == {"-".join(k): v // 4 for k, v in SIZES.items()}


def test_a_vocabulary_is_that_of_every_target(data):
    (data / "dict.char.de.txt").write_text("a 1\n")
    with pytest.raises(FileNotFoundError, match=r"dict\.char\.fr\.txt, the char vocab"):
        several(data, target_unit="char")
    (data / "dict.char.fr.txt").write_text("b 1\n")
    with pytest.raises(ValueError, match="several targets share.*-s SOURCE -t de,fr"):
        several(data, target_unit="char")
    (data / "dict.char.fr.txt").write_text("a 1\n")
    assert several(data, target_unit="char").tgt_dict.tags == {"de": 5, "fr": 6}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target_lang": "de,ru"}, "target tags for de, fr, and there is none for ru: ch"),
        ({"target_lang": "ru"}, "choose one of these as --target-lang"),
    ],
)
def test_a_target_without_a_tag(data, options, message):
    task = several(data, target_tag=False, **options)
    with pytest.raises(ValueError, match=message):
        task.load_state_dict(several(data).state_dict())


def test_a_checkpoint_without_tags(data):
    state = single(data, target_tag=False).state_dict()
    for old in (state, {k: v for k, v in state.items() if k != "target_tags"}):
        with pytest.raises(ValueError, match="without --target-tag: drop that flag"):
            single(data).load_state_dict(old)
        with pytest.raises(ValueError, match="for one target, and .* names de, fr: choose"):
            several(data, target_tag=False).load_state_dict(old)
        single(data, target_tag=False).load_state_dict(old)


def test_a_training_goes_on_with_the_same_tags(data):
    for task in (single(data), single(data, target_tag=False)):
        with pytest.raises(ValueError, match="give the same --target-tag and --target-la"):
            task.check_restored(several(data).state_dict())
    several(data, target_lang="fr,de").check_restored(several(data).state_dict())


def test_an_ensemble_has_the_same_tags(data):
    task = single(data, target_tag=False)
    task.load_state_dict(several(data).state_dict())
    build_model(task)
    with pytest.raises(ValueError, match="no target tags.*cannot be an ensemble"):
        task.load_state_dict(single(data, target_tag=False).state_dict())


# --- bad input ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target_lang": "de,fr,de"}, "--target-lang de,fr,de names de twice"),
        ({"target_lang": "de,"}, "--target-lang de, has an empty code"),
        ({"target_lang": "de,en"}, "en is both a source and a target language: leave it"),
        ({"target_lang": "en"}, "en is both a source and the target language"),
    ],
)
def test_bad_languages(data, options, message):
    with pytest.raises(ValueError, match=message):
        several(data, **options)


def test_targets_that_nothing_tells_apart_are_not_trained(data):
    with pytest.raises(ValueError, match="de,fr names several targets.* add --target-tag"):
        build_model(several(data, target_tag=False))


def test_a_pair_that_is_not_there_is_named(data):
    (data / "train.hi-fr.hi").unlink()
    (data / "train.hi-fr.fr").rename(data / "away")
    with pytest.raises(FileNotFoundError, match=r"no such file: .*train\.hi-fr\.hi"):
        several(data).load_dataset("train")
    (data / "valid.hi-fr.fr").unlink()
    with pytest.raises(FileNotFoundError, match=r"no such file: .*valid\.hi-fr\.fr"):
        several(data).load_dataset("valid")


def test_the_source_of_several_targets_is_inferred(tmp_path):
    for lang in ("de", "fr"):
        write_pair(tmp_path, "train", ["a"], ["b"], "en", lang)
    task = several(tmp_path, source_lang=None)
    assert (task.cfg.source_lang, task.cfg.target_lang) == ("en", "de,fr")
