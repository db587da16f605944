"""Several language pairs as one dataset."""

import pickle

import numpy as np
import pytest

from fairseq_bytefusion.data import Side, load_parallel
from fairseq_bytefusion.text import ByteDictionary

from ...helpers import write_pair

SIZES = {"de": 40, "fr": 10, "ru": 4}


@pytest.fixture()
def data(tmp_path):
    for lang, size in SIZES.items():
        for split in ("train", "valid"):
            sources = [f"{lang} {'x' * (i % 5)} {i}" for i in range(size)]
            targets = [f"en {lang} {i}" for i in range(size)]
            write_pair(tmp_path, split, sources, targets, src=lang)
    return tmp_path


def load(folder, split="train", tags=(), sources=tuple(SIZES), source_limit=None, **kwargs):
    src_dict, tgt_dict = ByteDictionary(), ByteDictionary()
    src_dict.set_tags(list(tags))
    kwargs = {"shuffle": split == "train", **kwargs}
    source = Side(sources, src_dict, source_limit)
    return load_parallel(str(folder), split, source, Side(["en"], tgt_dict), **kwargs)


def text(dataset, index):
    item = dataset[index]
    return (
        dataset.src_dict.string(item["source"]),
        dataset.tgt_dict.string(item["target"]),
    )


def language(dataset, index):
    source, target = text(dataset, index)
    assert target.split()[1] == source.split()[0]
    assert target.split()[2] == source.split()[-1]
    return source.split()[0]


def test_pairs_lie_one_behind_the_other(data, caplog):
    caplog.set_level("INFO")
    dataset = load(data, "valid")
    assert len(dataset) == 54
    assert [language(dataset, i) for i in (0, 39, 40, 49, 50, 53)] == [
        *("de", "de", "fr", "fr", "ru", "ru")
    ]
    assert dataset.parts == {"de-en": 40, "fr-en": 10, "ru-en": 4}
    assert "valid: fr-en is sentences 40 to 49" in caplog.text


def test_one_epoch_has_the_shares_of_the_temperature(data, caplog):
    caplog.set_level("INFO")
    dataset = load(data, temperature=5)
    counts = dict.fromkeys(SIZES, 0)
    for i in dataset.ordered_indices():
        counts[language(dataset, i)] += 1
    weights = {lang: n**0.2 for lang, n in SIZES.items()}
    for lang, count in counts.items():
        assert count == round(54 * weights[lang] / sum(weights.values()))
        assert f"train: an epoch has {count} sentences of {lang}-en" in caplog.text


def test_temperature_one_takes_every_pair_once(data):
    dataset = load(data, temperature=1.0)
    assert sorted(dataset.ordered_indices()) == list(range(54))
    assert dataset.can_reuse_epoch_itr_across_epochs


@pytest.mark.parametrize("num_buckets", [0, 3])
def test_an_epoch_is_the_same_whoever_asks(data, num_buckets):
    one, other = (
        load(data, temperature=5, num_buckets=num_buckets, pad_to_multiple=1)
        for _ in range(2)
    )
    np.random.seed(7)
    first = one.ordered_indices()
    np.random.seed(8)
    assert (other.ordered_indices() == first).all()
    one.set_epoch(2)
    assert not one.can_reuse_epoch_itr_across_epochs
    assert sorted(one.ordered_indices()) != sorted(first)
    one.set_epoch(1)
    assert (one.ordered_indices() == first).all()
    one.order_seed = 2
    assert sorted(one.ordered_indices()) != sorted(first)
    if not num_buckets:
        assert (np.diff(one.src_sizes[one.ordered_indices()]) >= 0).all()


def test_validation_batches_are_of_one_pair(data):
    dataset = load(data, "valid")
    batches = dataset.batch_by_size(dataset.ordered_indices(), max_sentences=8)
    assert sorted(i for batch in batches for i in batch) == list(range(54))
    for batch in batches:
        (lang,) = {language(dataset, i) for i in batch}
        assert dataset.collater([dataset[i] for i in batch])["pair"] == f"{lang}-en"
    assert len(batches) == 5 + 2 + 1
    assert "pair" not in load(data).collater([dataset[0]])
    assert dataset.collater([]) == {}


def test_tags_stand_before_the_text(data):
    dataset, plain = load(data, tags=("de", "fr", "ru")), load(data)
    assert (dataset.lengths[0] == plain.lengths[0] + 1).all()
    for i, tag in ((0, 260), (40, 261), (53, 262)):
        assert dataset[i]["source"].tolist() == [tag, *plain[i]["source"].tolist()]
        assert (dataset[i]["target"] == plain[i]["target"]).all()
        assert text(dataset, i) == text(plain, i)
    alone = load(data, "valid", tags=("de", "fr", "ru"), sources=("ru",))
    assert alone[0]["source"][0] == 262
    assert text(alone, 0) == text(dataset, 50)


def test_tags_leave_empty_lines_empty_and_limits_as_they_are(tmp_path):
    write_pair(tmp_path, "test", ["", "x" * 30], ["", "y"], src="de")
    dataset = load(tmp_path, "test", tags=("de",), sources=("de",), source_limit=10)
    assert dataset.empty(np.arange(2)).tolist() == [True, False]
    assert dataset[1]["source"].tolist() == [260, *[124] * 8, 2]
    assert dataset.lengths[0].tolist() == [2, 10]


def test_no_text_is_held_in_memory(tmp_path):
    for lang in ("de", "fr"):
        write_pair(tmp_path, "train", ["x" * 20_000] * 9, ["y"] * 9, src=lang)
    dataset = load(tmp_path, temperature=5, sources=("de", "fr"))
    dataset.ordered_indices()
    dataset[0], dataset[12]
    assert len(pickle.dumps(dataset)) < 40_000


def test_a_language_without_data_is_named(data):
    with pytest.raises(FileNotFoundError, match=r"train\.gl-en\.gl .*train\.de-en\.de"):
        load(data, sources=("de", "gl"))


def test_references_of_some_pairs_only(data):
    (data / "valid.fr-en.en").unlink()
    with pytest.raises(ValueError, match="valid of fr-en in .* no references"):
        load(data, "valid", target_required=False)
