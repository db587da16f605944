"""Several targets in one task: what the decoder begins with, searches, tags, bad input."""

from argparse import Namespace

import pytest
import torch
from fairseq.data.transform_eos_lang_pair_dataset import TransformEosLangPairDataset

from fairseq_bytefusion.generation.draft_counts import count_draft

from ..helpers import SENTENCES, write_pair
from .running import batches, make_task
from .test_many_to_one import build_model, ids, iterator

SIZES = {("en", "de"): 40, ("en", "fr"): 12, ("hi", "de"): 9, ("hi", "fr"): 7}
TAGS = {"de": 260, "fr": 261}


@pytest.fixture()
def data(tmp_path):
    for (src, tgt), size in SIZES.items():
        for split, count in (("train", size), ("valid", size // 4), ("test", 3)):
            lines = [f"{src} {i} {'word ' * (i % 4)}end" for i in range(count)]
            write_pair(tmp_path, split, lines, [f"{tgt} {t}" for t in lines], src, tgt)
    return tmp_path


def several(data, **options):
    languages = {"source_lang": "en,hi", "target_lang": "de,fr"}
    options = {"target_tag": True, "sampling_temperature": 5, **languages, **options}
    return make_task(data, **options)


def single(data, **options):
    return several(data, **{"source_lang": "en", "target_lang": "de", **options})


# --- what the decoder reads --------------------------------------------------------------


@pytest.mark.parametrize("split", ["train", "valid"])
def test_with_one_target_batches_are_those_of_a_text_tagged_by_hand(data, split):
    """fairseq's own class puts the tag there."""
    tagged, plain = single(data), single(data, target_tag=False)
    plain.load_dataset(split)
    tagged.load_dataset(split)
    by_hand = TransformEosLangPairDataset(
        plain.dataset(split), 2, tgt_bos=2, new_tgt_bos=TAGS["de"]
    )
    found = batches(tagged, split, max_tokens=90)
    assert len(found) > 1
    for batch in found:
        rows = [plain.dataset(split)[i] for i in batch["id"].tolist()]
        expected = by_hand.collater(rows)
        assert batch["ntokens"] == expected["ntokens"]
        assert torch.equal(batch["target"], expected["target"])
        for name, value in expected["net_input"].items():
            assert torch.equal(batch["net_input"][name], value), name
    order = [batch["id"].tolist() for batch in batches(plain, split, max_tokens=90)]
    assert [batch["id"].tolist() for batch in found] == order


@pytest.mark.parametrize("left", [False, True])
def test_each_row_of_a_mixed_batch_begins_with_its_tag(data, left):
    task = several(data, left_pad_target=left)
    task.load_dataset("train")
    ends = torch.tensor(list(SIZES.values())).cumsum(0)
    tags = [TAGS[tgt] for _, tgt in SIZES]
    seen = set()
    for batch in batches(task, "train"):
        for number, row, target in zip(
            batch["id"], batch["net_input"]["prev_output_tokens"], batch["target"]
        ):
            tag = tags[int((ends <= number).sum())]
            own, target = row[row.ne(1)].tolist(), target[target.ne(1)].tolist()
            assert own == [tag] + target[:-1]
            text = task.tgt_dict.string(torch.tensor(target))
            assert text.startswith("de " if tag == 260 else "fr ")
            seen.add(tag)
    assert seen == set(TAGS.values())


def test_a_tag_has_no_place_among_the_symbols_of_a_target(tmp_path, caplog):
    write_pair(tmp_path, "train", ["a", "b", "c"], ["x" * 9, "", "x" * 10], "en", "de")
    kept = []
    for target_tag in (False, True):
        task = single(tmp_path, target_tag=target_tag, max_target_positions=10)
        task.load_dataset("train")
        kept.append([b["id"].tolist() for b in batches(task, "train", 90, (2048, 10))])
    assert kept == [[[0]], [[0]]]
    assert caplog.text.count("1 of 3 pairs dropped: a target over 9 bytes") == 2
    assert caplog.text.count("1 of 3 pairs dropped: an empty side") == 2


def test_two_workers_see_what_one_sees_and_a_stopped_epoch_goes_on(data):
    task = several(data)
    task.load_dataset("train")
    one = ids(iterator(task).next_epoch_itr())
    parts = [
        ids(iterator(task, num_shards=2, shard_id=k).next_epoch_itr()) for k in range(2)
    ]
    together = [batch for pair in zip(*parts) for batch in pair]
    assert together[: len(one)] == one
    first = iterator(task)
    found = first.next_epoch_itr()
    seen = ids(next(found) for _ in range(2))
    resumed = iterator(task)
    resumed.load_state_dict(first.state_dict())
    assert seen + ids(resumed.next_epoch_itr()) == one


# --- searches ----------------------------------------------------------------------------


def hypotheses(task, model, sample, **options):
    args = Namespace(beam=3, max_len_a=0, max_len_b=20, **options)
    generator = task.build_generator([model], args)
    return task.inference_step(generator, [model], sample)


@torch.no_grad()
def log_probability(model, sample, row, tag, tokens):
    """Of what a row writes behind its tag: a symbol each, by the whole decoder."""
    previous = torch.cat([torch.tensor([tag]), tokens[:-1]])[None]
    net_input = sample["net_input"]
    source = net_input["src_tokens"][row : row + 1]
    source = source[source.ne(1)][None]
    logits = model(source, torch.tensor([source.shape[1]]), previous)[0]
    return logits.log_softmax(-1)[0].gather(1, tokens[:, None])[:, 0]


SEARCHES = {
    "beam": {},
    "bytes": {"allow_invalid_utf8": True},
    "characters": {"target_unit": "char"},
}


@pytest.mark.parametrize("kind", SEARCHES)
def test_hypotheses_begin_behind_the_tag_and_are_scored_without_it(data, kind):
    for lang in TAGS:
        (data / f"dict.char.{lang}.txt").write_text("d 1\ne 1\nf 1\nr 1\nn 1\n")
    task = several(data, **SEARCHES[kind])
    model = build_model(task)
    # Tags would be the likeliest symbols, were they any.
    tags = list(task.tgt_dict.tags.values())
    with torch.no_grad():
        model.decoder.embed_tokens.weight[tags] *= 4
    task.load_dataset("test")
    texts = {}
    for batch in batches(task, "test"):
        tag = task.tgt_dict.tags[batch["pair"][-2:]]
        assert batch["target_tag"].tolist() == [tag] * len(batch["id"])
        for options in ({}, {"sampling": True}):
            found = hypotheses(task, model, batch, **options)
            for row, best in enumerate(h[0] for h in found):
                assert not set(best["tokens"].tolist()) & set(tags)
                assert len(best["tokens"]) <= 21
                if options:  # whose probabilities are scaled
                    continue
                own = best["positional_scores"]
                expected = log_probability(model, batch, row, tag, best["tokens"])
                torch.testing.assert_close(own, expected, atol=1e-4, rtol=1e-4)
                score = expected.sum() / len(best["tokens"])
                assert float(best["score"]) == pytest.approx(float(score), abs=1e-4)
                texts[batch["pair"], row] = best["tokens"].tolist()
    assert any(texts["en-de", row] != texts["en-fr", row] for row in range(3))


def test_references_are_scored_behind_the_tag(data):
    task = several(data)
    model = build_model(task)
    task.load_dataset("test")
    scorer = task.build_generator([model], Namespace(score_reference=True))
    for batch in batches(task, "test"):
        tag = TAGS[batch["pair"][-2:]]
        for row, (best,) in enumerate(task.inference_step(scorer, [model], batch)):
            expected = log_probability(model, batch, row, tag, best["tokens"])
            torch.testing.assert_close(best["positional_scores"], expected)
            assert best["tokens"].tolist() == batch["target"][row][
                batch["target"][row].ne(1)
            ].tolist()  # fmt: skip


def test_drafts_write_what_greedy_search_writes(data):
    task = several(data)
    model = build_model(task)
    task.load_dataset("test")
    draft = data / "draft.npz"
    with draft.open("wb") as file:
        count_draft(str(data), ["en"], "de", "byte", 4).save(file)
    args = Namespace(beam=1, max_len_a=0, max_len_b=20)
    greedy = task.build_generator([model], args)
    task.cfg.draft, task.cfg.draft_file = "ngram", str(draft)
    drafted = task.build_generator([model], args)
    for batch in batches(task, "test"):
        expected = task.inference_step(greedy, [model], batch)
        for (theirs,), (ours,) in zip(
            expected, task.inference_step(drafted, [model], batch)
        ):
            assert ours["tokens"].tolist() == theirs["tokens"].tolist()
            assert float(ours["score"]) == pytest.approx(float(theirs["score"]), abs=1e-4)


def test_lines_of_any_text_go_into_the_chosen_target(data):
    task = single(data, target_lang="fr", target_tag=False)
    task.load_state_dict(several(data).state_dict())
    assert task.target_begin == 261
    tokens, lengths = task.get_interactive_tokens_and_lengths(SENTENCES, str)
    dataset = task.build_dataset_for_inference(tokens, lengths)
    batch = dataset.collater([dataset[i] for i in range(len(dataset))])
    assert batch["target_tag"].tolist() == [261] * len(SENTENCES)
    with pytest.raises(ValueError, match=r"target languages \(de, fr\): choose one to tr"):
        several(data).build_dataset_for_inference(tokens, lengths)


# --- tags --------------------------------------------------------------------------------


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
